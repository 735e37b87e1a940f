#include "tests/conformance/services/service_conformance.hpp"

#include "tests/conformance/services/sentence.hpp"

namespace timers::service_conformance {

void register_kind(const ServiceKind& kind) {
  Sentence::register_all("service_conformance/" + kind.name, kind);
}

}  // namespace timers::service_conformance
