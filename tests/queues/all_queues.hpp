#pragma once

/// Our queues that tests check against the contract, described as the kit needs it. They are
/// compiled once for all programs.

#include <vector>

#include "tests/conformance/queues/any_queue.hpp"

namespace timers {

/// All queues of the catalog. The first one is the reference.
std::vector<conformance::QueueKind> queues_of_catalog();

/// The queues of small_queues.hpp, which are marked as small.
std::vector<conformance::QueueKind> small_queues();

/// The queues of weak_queues.hpp.
std::vector<conformance::QueueKind> weak_queues();

}  // namespace timers
