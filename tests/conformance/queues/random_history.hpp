#pragma once

/// Random histories: the same seed gives the same history with every compiler.

#include <cstddef>
#include <cstdint>

#include "tests/conformance/queues/history.hpp"

namespace timers::conformance {

/// Draws a history from a seed. It has at most `max_length` operations outside of callbacks. The
/// seed also determines the character of the history, among other things:
///
///   - its length, and how many timers are pending;
///   - how far deadlines and steps reach, and how often deadlines are equal;
///   - how often callbacks and destructors call the queue, or throw;
///   - whether some verbs are frequent for a while.
History random_history(std::uint64_t seed, std::size_t max_length = 4096);

}  // namespace timers::conformance
