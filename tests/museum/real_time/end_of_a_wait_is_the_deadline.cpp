// When a wait has ended, its timer is taken to be due. Nobody looks at the clock.
//
// Multipass trusted the end of each wait. But a wait may end early: spuriously, or because the
// clock that the caller reads moves in steps.
//
// Seen in: https://github.com/canonical/multipass/issues/2878
// Caught by: NeverStartsATaskEarlyThoughItsClockIsCoarse

#include <pthread.h>

#include <cerrno>
#include <ctime>

#include "tests/museum/real_time_exhibit.hpp"

namespace timers::museum {
namespace {

class EndOfAWaitIsTheDeadline : public RightTimer {
  void sleep_until(Lock& lock, Clock::time_point first) override {
    if (first == kNever) return wait_until(lock, first);
    const std::chrono::nanoseconds since_start = first.time_since_epoch();
    const auto seconds = std::chrono::floor<std::chrono::seconds>(since_start);
    const timespec end{seconds.count(), (since_start - seconds).count()};
    const int status = pthread_cond_clockwait(changed_.native_handle(),
                                              lock.mutex()->native_handle(), CLOCK_MONOTONIC, &end);
    if (status == ETIMEDOUT && !stopped_ && first_deadline() == first) run_first(lock);
  }
};

const RealTimeExhibit<EndOfAWaitIsTheDeadline> end_of_a_wait_is_the_deadline;

}  // namespace
}  // namespace timers::museum
