#include "tests/conformance/queues/queue_conformance.hpp"

#include <string>

#include "tests/conformance/queues/sentence.hpp"
#include "tests/conformance/watchdog.hpp"

namespace timers::conformance {

void register_kind(const QueueKind& kind) {
  const std::string suite = "conformance/" + kind.name;
  Watchdog::watch(suite);
  Sentence::register_all(suite, kind);
}

}  // namespace timers::conformance
