// The handle of a repeating timer is that of its first run. After that, a cancel finds nothing.
//
// Akka's scheduler made a timer for each run, and returned the first one. A scheduler for tests of
// Akka identified a task by its first deadline.
//
// Seen in: https://github.com/akka/akka-core/pull/214
// Seen in: https://github.com/miguno/akka-mock-scheduler/issues/8
// Caught by: IsCancelledBetweenTwoRuns

#include <utility>

#include "tests/museum/service_exhibit.hpp"

namespace timers::museum {
namespace {

class CancelsTheFirstRunOnly : public RepeatingRightService {
 public:
  using RepeatingRightService::RepeatingRightService;

  Handle schedule_at_fixed_rate(Delay first, Delay period, TimerTask task) {
    return schedule(first, [this, period, task = std::move(task)]() mutable {
      RepeatingRightService::schedule_at_fixed_rate(period, period, std::move(task));
    });
  }
};

const ServiceExhibit<CancelsTheFirstRunOnly> cancels_the_first_run_only;

}  // namespace
}  // namespace timers::museum
