#pragma once

/// The conformance kit: every behaviour of a timer queue as a test, for any queue.
///
/// To test a queue of your own, link `timerbench::conformance` and write one file:
///
///     #include "my_queue.hpp"   // template <class Task> class MyQueue, see impls/timer_queue.hpp
///     #include "tests/conformance/queues/queue_conformance.hpp"
///
///     int main(int argc, char** argv) {
///       testing::InitGoogleTest(&argc, argv);
///       timers::conformance::register_queue<MyQueue<timers::conformance::ProbeTask>>();
///       return RUN_ALL_TESTS();
///     }
///
/// A test is named `conformance/my_queue.NeverRunsATimerEarly`, for example: the name is a sentence
/// about the queue. `--gtest_filter` selects tests by their names. A test finds out which abilities
/// the queue has, and reads the promises that it declares. If the test needs more than the queue
/// offers, it is skipped and says what the queue lacks. No test depends on the name of the queue.

#include <gtest/gtest.h>

#include <concepts>
#include <string_view>

#include "impls/timer_queue.hpp"
#include "tests/conformance/queues/any_queue.hpp"
#include "tests/conformance/queues/pooled_queue.hpp"

namespace timers::conformance {

/// Registers every test of the kit for queues of this kind, in the suite `conformance/<its name>`.
/// Call it before RUN_ALL_TESTS, once for each name.
void register_kind(const QueueKind& kind);

/// Registers every test for `Queue`. If it has timers that stay, every test is registered twice.
/// The second copy is in `conformance/<its name>_pooled`: where a test inserts a timer, the second
/// copy takes one from a pool of timers that stay (pooled_queue.hpp). If two types have the same
/// name, give one of them another name here.
template <TimerQueue Queue>
void register_queue(std::string_view name = Queue::name) {
  static_assert(std::same_as<typename Queue::Task, ProbeTask>,
                "the kit tests queues of ProbeTask: register_queue<MyQueue<ProbeTask>>()");
  static_assert(!std::copy_constructible<ProbeTask> && !std::copyable<Queue>,
                "a queue moves its tasks, and never copies them");
  QueueKind kind = kind_of<Queue>();
  kind.name = name;
  register_kind(kind);
  if (kind.has_staying_timers) register_kind(pooled(kind));
}

}  // namespace timers::conformance
