#pragma once

/// The service of a program with a fault: in the fault's own source, which reads little.

#include "tests/conformance/services/any_service.hpp"

namespace timers::faults {

service_conformance::ServiceKind faulty_service();

}  // namespace timers::faults
