#pragma once

/// The queues of ours that tests hold to the contract, as the kit knows them. They are compiled
/// once for all programs.

#include <vector>

#include "tests/conformance/queues/any_queue.hpp"

namespace timers {

/// All of the catalog. The first is the reference.
std::vector<conformance::QueueKind> queues_of_catalog();

/// Those of small_queues.hpp, which say that they are small.
std::vector<conformance::QueueKind> small_queues();

/// Those of weak_queues.hpp.
std::vector<conformance::QueueKind> weak_queues();

}  // namespace timers
