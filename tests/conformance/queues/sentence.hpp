#pragma once

/// A test of the kit: a sentence about every timer queue, and code that checks whether it is true.
///
///     //
///     const Sentence inclusive("RunsATimerAtItsDeadline", [](Scenario& queue) {
///       queue.insert(1, 5);
///       EXPECT_EQ(queue.expire(5), 1u);
///     });
///
/// If a sentence makes its queues itself, its function takes a `const QueueKind&` instead.

#include "tests/conformance/basic_sentence.hpp"
#include "tests/conformance/queues/any_queue.hpp"
#include "tests/conformance/queues/scenario.hpp"

namespace timers::conformance {

using Sentence = BasicSentence<QueueKind, Scenario>;

}  // namespace timers::conformance
