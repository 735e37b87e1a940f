// A sleep is rounded down to whole milliseconds. In the last part of each wait the thread spins.
//
// Netty's ticks were in nanoseconds, and its sleeps in milliseconds: with a tick below one
// millisecond it did not sleep. On Windows it rounded sleeps down to multiples of 10 ms, so with
// ticks of one millisecond it did not sleep either. SOFAJRaft had copied this.
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
