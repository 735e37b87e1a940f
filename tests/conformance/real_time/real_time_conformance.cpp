#include "tests/conformance/real_time/real_time_conformance.hpp"

#include "tests/conformance/real_time/sentence.hpp"

namespace timers::real_time {

void register_kind(const ServiceKind& kind) {
  Sentence::register_all("real_time/" + kind.name, kind);
}

}  // namespace timers::real_time
