#pragma once

/// Makes a history that shows a fault as small as possible.

#include <functional>
#include <string>

#include "tests/conformance/queues/history.hpp"

namespace timers::conformance {

/// Removes from `history` all that is not needed for `fails` to stay true: first runs of
/// operations, then single ones, also those of callbacks. Then makes the numbers smaller, and the
/// labels consecutive. `fails` must be true for the given history.
History shrink(History history, const std::function<bool(const History&)>& fails);

/// What a person needs to see how the queue breaks the contract: the smallest history found that
/// shows the fault, what was expected, and what was seen.
std::string report(const History& history, const QueueKind& kind);

}  // namespace timers::conformance
