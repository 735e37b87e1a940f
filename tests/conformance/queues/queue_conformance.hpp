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
/// The tests come out as `conformance/my_queue.NeverRunsATimerEarly`: a sentence about the queue,
/// to be chosen with --gtest_filter. They know a queue by its abilities, which they find, and its
/// promises, which it declares; a test that needs more than the queue offers is skipped and says
/// what it missed. No test knows a queue by its name.

#include <gtest/gtest.h>

#include <concepts>
#include <string_view>

#include "impls/timer_queue.hpp"
#include "tests/conformance/queues/any_queue.hpp"
#include "tests/conformance/queues/pooled_queue.hpp"

namespace timers::conformance {

/// Registers every test of the kit for queues of this kind, in the suite `conformance/<its name>`.
/// To be called before RUN_ALL_TESTS, once for each name.
void register_kind(const QueueKind& kind);

/// Registers every test for `Queue`. If it has timers that stay, all tests are there twice: those
/// of `conformance/<its name>_pooled` take a timer from a pool of them (pooled_queue.hpp) where a
/// test inserts one. Types that share a name are told apart by a name given here.
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
