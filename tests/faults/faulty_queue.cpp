// One queue, for the kit. Its header is the copy with the planted fault: that copy comes first on
// the include path.

#include "tests/faults/faulty_queue.hpp"

#include FAULTY_HEADER

namespace timers::faults {

conformance::QueueKind faulty_queue() {
  using Task = conformance::ProbeTask;
  return conformance::kind_of<FAULTY_QUEUE>();
}

}  // namespace timers::faults
