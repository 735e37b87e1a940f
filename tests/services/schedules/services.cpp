// Every service of the catalog on a clock whose threads take turns. This source is compiled for
// ThreadSanitizer: so its accesses to atomics become steps.

#include <vector>

#include "impls/catalog.hpp"
#include "tests/conformance/services/any_service.hpp"
#include "tests/services/schedules/explored_services.hpp"
#include "tests/services/schedules/stepwise_clock.hpp"

namespace timers::schedules {

std::vector<ExploredKind> explored_services() {
  std::vector<ExploredKind> kinds;
  for_each_type(TimerServices<StepwiseClock>{},
                [&]<class Service>() { kinds.push_back(explored_kind_of<Service>()); });
  kinds.push_back(explored_kind_of_two_threads<DelayQueueTimer<StepwiseClock>>());
  kinds.push_back(explored_kind_of_two_threads<ScheduledThreadPool<StepwiseClock>>());
  return kinds;
}

}  // namespace timers::schedules
