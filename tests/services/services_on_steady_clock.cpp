#include "tests/services/services_of_catalog.hpp"

namespace timers {

template std::vector<service_conformance::BasicServiceKind<SteadyClock>> all_services();

}  // namespace timers
