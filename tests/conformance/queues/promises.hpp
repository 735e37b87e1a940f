#pragma once

/// Compares promises, so that a catalog can hold its queues to what they must promise.

#include <gtest/gtest.h>

#include "impls/timer_queue.hpp"

namespace timers::conformance {

/// Whether a queue that declares `declared` keeps all that `required` asks for. Functions of the
/// delay are compared at delays around all powers of two.
testing::AssertionResult at_least_as_strong(const Promises& declared, const Promises& required);

}  // namespace timers::conformance
