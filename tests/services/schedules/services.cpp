// Every service of the catalog on a clock whose threads take turns. This source is compiled for a
// thread sanitizer, which is how its accesses to atomics become steps.

#include <type_traits>
#include <utility>
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
  return kinds;
}

}  // namespace timers::schedules
