// One service in every schedule of a few threads. Its header is the copy with the planted fault:
// that copy comes first on the include path.

#include FAULTY_HEADER

#include <vector>

#include "impls/queues/lazy_wheel.hpp"
#include "tests/services/schedules/explored_services.hpp"
#include "tests/services/schedules/stepwise_clock.hpp"

namespace timers::schedules {

std::vector<ExploredKind> explored_services() {
  ExploredKind faulty = explored_kind_of<FAULTY_SERVICE>();
  faulty.name = "faulty";
  return {faulty};
}

}  // namespace timers::schedules
