#pragma once

/// Declares the queue with the fault. Its own source defines it, so that little is compiled again.

#include "tests/conformance/queues/any_queue.hpp"

namespace timers::faults {

conformance::QueueKind faulty_queue();

}  // namespace timers::faults
