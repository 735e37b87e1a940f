// A task at a fixed rate runs only once: nobody sets it again.
//
// A pool of Netty ran the task itself, and not the wrapper that sets it again.
//
// Seen in: https://github.com/netty/netty/issues/10614
// Seen in: https://github.com/netty/netty/pull/10659
// Caught by: DoesNotDriftFromAFixedRate
// Caught by: IsCancelledBetweenTwoRuns

#include <utility>

#include "tests/museum/service_exhibit.hpp"

namespace timers::museum {
namespace {

class RateRunsOnce : public RepeatingRightService {
 public:
  using RepeatingRightService::RepeatingRightService;

  Handle schedule_at_fixed_rate(Delay first, Delay, TimerTask task) {
    return schedule(first, std::move(task));
  }
};

const ServiceExhibit<RateRunsOnce> rate_runs_once;

}  // namespace
}  // namespace timers::museum
