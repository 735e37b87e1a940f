#pragma once

/// Histories drawn at random: the same seed gives the same history with every compiler.

#include <cstddef>
#include <cstdint>

#include "tests/conformance/queues/history.hpp"

namespace timers::conformance {

/// Draws a history of its own character from a seed: how long it is, how many timers are pending,
/// how far deadlines and steps reach, how often deadlines tie, how often callbacks and destructors
/// call in, throw, whether verbs come in spells, and so on. It has at most `max_length` operations
/// outside of callbacks.
History random_history(std::uint64_t seed, std::size_t max_length = 4096);

}  // namespace timers::conformance
