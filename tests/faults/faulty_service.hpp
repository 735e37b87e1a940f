#pragma once

/// Declares the service with the fault. Its own source defines it, so that little is compiled
/// again.

#include "tests/conformance/services/any_service.hpp"

namespace timers::faults {

service_conformance::ServiceKind faulty_service();

}  // namespace timers::faults
