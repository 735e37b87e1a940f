#include "tests/conformance/queues/queue_conformance.hpp"

#include "tests/conformance/queues/sentence.hpp"

namespace timers::conformance {

void register_kind(const QueueKind& kind) {
  Sentence::register_all("conformance/" + kind.name, kind);
}

}  // namespace timers::conformance
