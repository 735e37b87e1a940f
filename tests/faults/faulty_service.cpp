// One service, for the kit. Its header is the copy with the planted fault: that copy comes first on
// the include path.

#include "tests/faults/faulty_service.hpp"

#include FAULTY_HEADER

#include "impls/clocks/clock.hpp"
#include "impls/queues/hierarchical_wheel.hpp"
#include "impls/queues/min_heap.hpp"

namespace timers::faults {

service_conformance::ServiceKind faulty_service() {
  return service_conformance::kind_of<FAULTY_SERVICE>();
}

}  // namespace timers::faults
