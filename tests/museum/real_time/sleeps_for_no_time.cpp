// A span in milliseconds is rounded up as if it were in nanoseconds.
//
// A port of Netty's worker added 999,999 to milliseconds and divided the sum by a million. On
// Windows it then rounds sleeps down to multiples of 10 ms. So each sleep was 0, and the worker
// used a whole core.
//
// Seen in: https://github.com/netty/netty/issues/1246
// Caught by: RestsWhileItsOnlyTimerIsFarAway

#include "tests/museum/real_time_exhibit.hpp"

namespace timers::museum {
namespace {

class SleepsForNoTime : public RightTimer {
  void sleep_until(Lock& lock, Clock::time_point first) override {
    using std::chrono::milliseconds;
    const auto now = Clock::now();
    const auto span =
        std::chrono::ceil<milliseconds>(std::min<Clock::duration>(first - now, kTick));
    const auto sleep = (span.count() + 999'999) / 1'000'000;
    wait_until(lock, now + milliseconds(sleep / 10 * 10));
  }

  static constexpr Clock::duration kTick = std::chrono::milliseconds(100);
};

const RealTimeExhibit<SleepsForNoTime> sleeps_for_no_time;

}  // namespace
}  // namespace timers::museum
