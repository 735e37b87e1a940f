#include "tests/conformance/conformance.hpp"

#include "tests/conformance/sentence.hpp"

namespace timers::conformance {

void register_kind(const QueueKind& kind) {
  Sentence::register_all("conformance/" + kind.name, kind);
}

}  // namespace timers::conformance
