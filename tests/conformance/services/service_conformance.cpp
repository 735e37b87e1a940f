#include "tests/conformance/services/service_conformance.hpp"

#include <string>

#include "tests/conformance/services/sentence.hpp"
#include "tests/conformance/watchdog.hpp"

namespace timers::service_conformance {

void register_kind(const ServiceKind& kind) {
  const std::string suite = "service_conformance/" + kind.name;
  conformance::Watchdog::watch(suite);
  Sentence::register_all(suite, kind);
}

}  // namespace timers::service_conformance
