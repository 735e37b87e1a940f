#include "tests/services/services_of_catalog.hpp"

namespace timers {

template std::vector<service_conformance::BasicServiceKind<ManualClock>> all_services();

}  // namespace timers
