#pragma once

/// Compares promises. With this a catalog checks that its queues promise what they must.

#include <gtest/gtest.h>

#include "impls/timer_queue.hpp"

namespace timers::conformance {

/// Whether a queue that declares `declared` keeps all that `required` asks for. If a promise is a
/// function of the delay, it is compared at delays around all powers of two.
testing::AssertionResult at_least_as_strong(const Promises& declared, const Promises& required);

}  // namespace timers::conformance
