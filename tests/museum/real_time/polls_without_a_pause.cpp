// A thread that need not stay polls for work without a pause. It stays because work is pending.
//
// A pool of the JDK with no core threads polled its queue in this way. Several projects ran into
// it.
//
// Seen in: https://github.com/apache/ratis/pull/56
// Seen in: https://github.com/eclipse-ditto/ditto-clients/pull/172
// Seen in: https://github.com/Tencent/spring-cloud-tencent/pull/98
// Caught by: RestsWhileItsOnlyTimerIsFarAway

#include "tests/museum/real_time_exhibit.hpp"

namespace timers::museum {
namespace {

class PollsWithoutAPause : public RightTimer {
  void sleep_until(Lock& lock, Clock::time_point first) override {
    constexpr Clock::duration kIdleThreadsStay{0};
    wait_until(lock, tasks_.empty() ? first : Clock::now() + kIdleThreadsStay);
  }
};

const RealTimeExhibit<PollsWithoutAPause> polls_without_a_pause;

}  // namespace
}  // namespace timers::museum
