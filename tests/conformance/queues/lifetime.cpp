/// When tasks are destroyed, and what happens to a queue that is moved or destroyed.

#include <gtest/gtest.h>

#include "tests/conformance/queues/edges.hpp"
#include "tests/conformance/queues/scenario.hpp"
#include "tests/conformance/queues/sentence.hpp"

namespace timers::conformance::about_lifetime {
namespace {

//
const Sentence after_run("DestroysATaskOnceItRan", [](Scenario& queue) {
  queue.insert(1, 5);
  queue.insert(2, 6);
  queue.on_expiry(2, [&] { EXPECT_EQ(queue.destroyed(1), 1); });
  EXPECT_EQ(queue.destroyed(1), 0);
  EXPECT_EQ(queue.expire(10), 2u);
  EXPECT_EQ(queue.destroyed(1), 1);
  EXPECT_EQ(queue.destroyed(2), 1);
});

// A-70, D-10, D-35, D-62
const Sentence after_cancel("DestroysATaskWhenItsTimerIsCancelled", [](Scenario& queue) {
  queue.tolerate_lateness();
  for (Id id = 0; id < 10'000; ++id) {
    queue.insert(id, 3'600'000 + id);
    ASSERT_TRUE(queue.cancel(id));
    ASSERT_EQ(queue.destroyed(id), 1);
  }
});

//
const Sentence after_rearm("KeepsTheTaskOfATimerThatIsRearmed", [](Scenario& queue) {
  queue.insert(1, 5);
  EXPECT_TRUE(queue.rearm(1, 5000));
  EXPECT_EQ(queue.destroyed(1), 0);
  EXPECT_EQ(queue.expire(5000), 1u);
  EXPECT_EQ(queue.destroyed(1), 1);
});

//
const Sentence with_pending("DestroysPendingTasksOnceAndRunsNoneOfThem", [](Scenario& queue) {
  queue.tolerate_lateness();
  const auto edges = wheel_edges(Tick{1} << 40);
  for (const Tick edge : edges) queue.insert(edge, edge);
  for (const Tick edge : edges) {
    if (edge % 3 == 0) queue.cancel(edge);
  }
  queue.destroy_queue();
  for (const Tick edge : edges) ASSERT_EQ(queue.destroyed(edge), 1);
  EXPECT_TRUE(queue.ran({}));
});

//
const Sentence with_overdue("DestroysOverdueTasksOnce", [](Scenario& queue) {
  for (const Id id : Ids{1, 2, 3}) queue.insert(id, 5);
  EXPECT_EQ(queue.expire(10, 1), 1u);
  queue.destroy_queue();
  for (const Id id : Ids{1, 2, 3}) EXPECT_EQ(queue.destroyed(id), 1);
  EXPECT_EQ(queue.log().size(), 1u);
});

//
const Sentence cancel_calls_in("LetsATaskCallInWhileItIsCancelled", [](Scenario& queue) {
  queue.insert(1, 5);
  queue.insert(2, 5);
  queue.insert(3, 5);
  std::size_t size = 0;
  queue.on_destruction_of(2, [&] {
    size = queue.size();
    EXPECT_FALSE(queue.cancel(2));
    EXPECT_TRUE(queue.cancel(3));
    queue.insert(4, 5);
    queue.insert(5, 9);
  });
  EXPECT_TRUE(queue.cancel(2));
  EXPECT_EQ(size, 2u);
  EXPECT_EQ(queue.expire(5), 2u);
  EXPECT_EQ(queue.expire(9), 1u);
  EXPECT_TRUE(queue.ran({{1, 5, 5}, {4, 5, 5}, {5, 9, 9}}));
});

//
const Sentence cancel_expires("LetsATaskExpireTimersWhileItIsCancelled", [](Scenario& queue) {
  queue.insert(1, 5);
  queue.insert(2, 5);
  queue.insert(3, 7);
  std::size_t ran = 0;
  queue.on_destruction_of(1, [&] { ran = queue.expire(6); });
  EXPECT_TRUE(queue.cancel(1));
  EXPECT_EQ(ran, 1u);
  EXPECT_EQ(queue.expire(7), 1u);
});

//
const Sentence run_calls_in("LetsATaskCallInAfterItRan", [](Scenario& queue) {
  for (const Id id : Ids{1, 2, 3}) {
    queue.insert(id, 5);
    queue.on_destruction_of(id, [&queue, id] {
      queue.insert_in(id + 10, 0);
      queue.insert_in(id + 20, 300);
      queue.cancel(id + 20);
    });
  }
  EXPECT_EQ(queue.expire(5), 3u);
  EXPECT_EQ(queue.expire(6), 3u);
  EXPECT_EQ(queue.size(), 0u);
});

//
const Sentence chain("LetsTasksCancelEachOtherInAChain", [](Scenario& queue) {
  queue.tolerate_lateness();
  for (Id id = 1; id <= 100; ++id) {
    queue.insert(id, 1 + id % 7);
    queue.on_destruction_of(id, [&queue, id] {
      if (id < 100) queue.cancel(id + 1);
    });
  }
  EXPECT_TRUE(queue.cancel(1));
  EXPECT_EQ(queue.size(), 0u);
  EXPECT_EQ(queue.destroyed(100), 1);
});

//
const Sentence sibling_by_destructor("DoesNotRunWhatATaskCancelsAsItDies", [](Scenario& queue) {
  queue.insert(1, 5);
  queue.insert(2, 5);
  queue.on_destruction_of(1, [&] { queue.cancel(2); });
  queue.on_destruction_of(2, [&] { queue.cancel(1); });
  EXPECT_EQ(queue.expire(5), 1u);
  EXPECT_EQ(queue.size(), 0u);
});

//
const Sentence moved("KeepsTimersAndHandlesWhenItIsMoved", [](Scenario& queue) {
  const auto edges = wheel_edges(1 << 17);
  for (const Tick edge : edges) queue.insert(edge, edge);
  queue.move_queue();
  std::size_t cancelled = 0;
  for (const Tick edge : edges) {
    if (edge % 2 == 0) cancelled += queue.cancel(edge);
  }
  EXPECT_GT(cancelled, 0u);
  for (const Tick edge : edges) queue.expire(edge);
  EXPECT_EQ(queue.log().size(), edges.size() - cancelled);
});

//
const Sentence moved_time("KeepsItsTimeWhenItIsMoved", [](const QueueKind& kind) {
  Scenario queue(kind, 1000);
  queue.move_queue();
  queue.insert(1, 500);
  EXPECT_EQ(queue.expire(999), 0u);
  EXPECT_EQ(queue.expire(1001), 1u);
  EXPECT_TRUE(queue.ran({{1, 1001, 1001}}));
});

//
const Sentence assigned_time("KeepsItsTimeWhenItIsAssigned", [](const QueueKind& kind) {
  Scenario queue(kind, 1000);
  queue.assign_queue_over_one_with(1, 5);
  queue.insert(2, 500);
  EXPECT_EQ(queue.expire(999), 0u);
  EXPECT_EQ(queue.expire(1001), 1u);
  EXPECT_TRUE(queue.ran({{2, 1001, 1001}}));
});

//
const Sentence moved_midway("KeepsWhatALimitLeftWhenItIsMoved", [](Scenario& queue) {
  queue.insert(1, 3);
  queue.insert(2, 4);
  queue.insert(3, 300);
  EXPECT_EQ(queue.expire(400, 1), 1u);
  queue.move_queue();
  EXPECT_EQ(queue.expire(400, 1), 1u);
  queue.move_queue();
  EXPECT_EQ(queue.expire(400), 1u);
  EXPECT_EQ(queue.size(), 0u);
});

//
const Sentence swapped("KeepsTimersTimeAndHandlesWhenItIsSwapped", [](const QueueKind& kind) {
  Scenario queue(kind, 1000);
  for (const Id id : Ids{1, 2, 3}) queue.insert_in(id, id);
  queue.swap_queue_with_one_with(4, 5);
  EXPECT_EQ(queue.destroyed(4), 1);
  EXPECT_TRUE(queue.cancel(2));
  queue.insert(5, 500);
  EXPECT_EQ(queue.expire(1001), 2u);
  EXPECT_EQ(queue.expire(1010), 1u);
  EXPECT_TRUE(queue.ran({{1, 1001, 1001}, {5, 1001, 1001}, {3, 1003, 1010}}));
});

//
const Sentence keeps_nothing("KeepsNothingOfItsOwnWhenItIsAssigned", [](Scenario& queue) {
  queue.insert(1, 7);
  queue.assign_queue_over_one_with(2, 500);
  EXPECT_EQ(queue.destroyed(2), 1);
  queue.insert(3, 5);
  EXPECT_EQ(queue.expire(4), 0u);
  EXPECT_EQ(queue.expire(5), 1u);
  EXPECT_EQ(queue.expire(1000), 1u);
  EXPECT_TRUE(queue.ran({{3, 5, 5}, {1, 7, 1000}}));
});

//
const Sentence assigned("DestroysItsTasksWhenItIsAssignedAnotherQueue", [](Scenario& queue) {
  queue.insert(1, 5);
  queue.insert(2, 300);
  queue.insert(4, 6);
  EXPECT_TRUE(queue.cancel(4));
  queue.assign_queue_over_one_with(3, 5);
  EXPECT_EQ(queue.destroyed(3), 1);
  EXPECT_EQ(queue.destroyed(1), 0);
  EXPECT_EQ(queue.size(), 2u);
  EXPECT_FALSE(queue.cancel(4));
  EXPECT_TRUE(queue.cancel(1));
  EXPECT_EQ(queue.expire(300), 1u);
  EXPECT_TRUE(queue.ran({{2, 300, 300}}));
});

//
const Sentence assigned_empty("IsEmptyWhenItIsAssignedAnEmptyQueue", [](Scenario& queue) {
  queue.assign_queue_over_one_with(1, 5);
  EXPECT_EQ(queue.destroyed(1), 1);
  EXPECT_EQ(queue.size(), 0u);
  EXPECT_EQ(queue.expire(10), 0u);
  queue.insert(2, 11);
  EXPECT_EQ(queue.expire(11), 1u);
});

}  // namespace
}  // namespace timers::conformance::about_lifetime
