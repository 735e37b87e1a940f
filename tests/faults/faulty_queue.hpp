#pragma once

/// The queue of a program with a fault: in the fault's own source, which reads little.

#include "tests/conformance/queues/any_queue.hpp"

namespace timers::faults {

conformance::QueueKind faulty_queue();

}  // namespace timers::faults
