// When a run is over, its timer is set again, even if it was cancelled meanwhile.
//
// In JBoss Threads a repeating task could not cancel itself. In jMock's scheduler nobody could
// cancel a task while it ran. In TinyGo a stop during the callback of a ticker was lost.
//
// Seen in: https://github.com/jboss/jboss-threads/issues/163
// Seen in: https://github.com/jmock-developers/jmock-library/issues/55
// Seen in: https://github.com/tinygo-org/tinygo/pull/5487
// Caught by: EndsWithTheRunThatCancelsIt
// Caught by: EndsWithTheRunInWhichAnotherThreadCancelsIt

#include <atomic>
#include <utility>

#include "tests/museum/service_exhibit.hpp"

namespace timers::museum {
namespace {

class CancelInARunIsLost : public RepeatingRightService {
  using Period = Periodic<RightService, ManualClock>::Handle;

 public:
  using RepeatingRightService::RepeatingRightService;

  auto schedule_at_fixed_rate(Delay first, Delay period, TimerTask task) {
    return RepeatingRightService::schedule_at_fixed_rate(first, period,
                                                         [this, task = std::move(task)]() mutable {
                                                           runs_ = true;
                                                           task();
                                                           runs_ = false;
                                                         });
  }
  using RepeatingRightService::cancel;
  CancelResult cancel(Period timer) {
    return runs_ ? CancelResult::running : RepeatingRightService::cancel(std::move(timer));
  }

 private:
  std::atomic<bool> runs_ = false;
};

const ServiceExhibit<CancelInARunIsLost> cancel_in_a_run_is_lost;

}  // namespace
}  // namespace timers::museum
