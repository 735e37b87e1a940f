// A sleep is rounded down to whole milliseconds. The last part of each wait is no sleep at all.
//
// Netty took ticks in nanoseconds and slept in milliseconds: a tick below one did not sleep. On
// Windows it cut sleeps to multiples of 10 ms, and ticks of a millisecond did not sleep. SOFAJRaft
// had copied it.
//
// Seen in: https://github.com/netty/netty/pull/8282
// Seen in: https://github.com/netty/netty/issues/9710
// Seen in: https://github.com/netty/netty/issues/356
// Seen in: https://github.com/sofastack/sofa-jraft/issues/344
// Caught by: RestsUntilItsOnlyTimerIsDue

#include "tests/museum/real_time_exhibit.hpp"

namespace timers::museum {
namespace {

class SleepsInMilliseconds : public RightTimer {
  void sleep_until(Lock& lock, Clock::time_point first) override {
    const auto now = Clock::now();
    wait_until(lock, now + std::chrono::floor<std::chrono::milliseconds>(first - now));
  }
};

const RealTimeExhibit<SleepsInMilliseconds> sleeps_in_milliseconds;

}  // namespace
}  // namespace timers::museum
