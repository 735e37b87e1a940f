#pragma once

/// Makes a history that shows a fault as small as it gets.

#include <functional>
#include <string>

#include "tests/conformance/queues/history.hpp"

namespace timers::conformance {

/// Takes out of `history` whatever `fails` does not need to stay true: runs of operations, then
/// single ones, also those of callbacks; then makes the numbers smaller and the labels dense. For
/// the given history `fails` must be true.
History shrink(History history, const std::function<bool(const History&)>& fails);

/// What a person needs to see how the queue breaks the contract: the smallest history found that
/// shows it, then what was expected and what was seen.
std::string report(const History& history, const QueueKind& kind);

}  // namespace timers::conformance
