/// A cancelled timer does not run, harms no other, and leaves no trace.

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "tests/conformance/queues/edges.hpp"
#include "tests/conformance/queues/scenario.hpp"
#include "tests/conformance/queues/sentence.hpp"

namespace timers::conformance::about_cancel {
namespace {

//
const Sentence never("NeverRunsACancelledTimer", [](Scenario& queue) {
  queue.tolerate_lateness();
  queue.insert(1, 5);
  EXPECT_TRUE(queue.cancel(1));
  EXPECT_EQ(queue.size(), 0u);
  EXPECT_EQ(queue.expire(10), 0u);
  EXPECT_EQ(queue.expire(10'000), 0u);
  EXPECT_TRUE(queue.ran({}));
});

//
const Sentence twice("CancelsATimerOnce", [](Scenario& queue) {
  queue.tolerate_lateness();
  queue.insert(1, 5);
  queue.insert(2, 5);
  EXPECT_TRUE(queue.cancel(1));
  EXPECT_FALSE(queue.cancel(1));
  EXPECT_EQ(queue.size(), 1u);
});

//
const Sentence after_catching_up("CannotCancelATimerThatRan", [](Scenario& queue) {
  queue.insert(1, 5);
  queue.insert(2, 9);
  EXPECT_EQ(queue.expire(5), 1u);
  EXPECT_FALSE(queue.cancel(1));
  EXPECT_EQ(queue.size(), 1u);
  EXPECT_EQ(queue.expire(9), 1u);
});

//
const Sentence subsets("CancelsAnySubsetOfABucket", [](const QueueKind& kind) {
  for (const Tick deadline : Ticks{Tick{5}, Tick{300}, Tick{70'000}}) {
    for (unsigned cancelled = 0; cancelled < 32; ++cancelled) {
      SCOPED_TRACE(testing::Message() << cancelled << " of those due at " << deadline);
      Scenario queue(kind);
      std::vector<Expiry> expected;
      for (Id id = 0; id < 5; ++id) queue.insert(id, deadline);
      for (Id id = 0; id < 5; ++id) {
        if ((cancelled >> id) & 1) {
          EXPECT_TRUE(queue.cancel(id));
        } else {
          expected.push_back({id, deadline, deadline});
        }
      }
      EXPECT_EQ(queue.expire(deadline), expected.size());
      EXPECT_TRUE(queue.ran(expected));
    }
  }
});

//
const Sentence backwards("CancelsABucketFromItsEnd", [](Scenario& queue) {
  for (Id id = 0; id < 5; ++id) queue.insert(id, 5);
  for (const Id id : Ids{4, 2, 0}) EXPECT_TRUE(queue.cancel(id));
  EXPECT_EQ(queue.expire(5), 2u);
  EXPECT_TRUE(queue.ran({{1, 5, 5}, {3, 5, 5}}));
});

// D-08
const Sentence then_another("TakesANewTimerInABucketWhoseLastWasCancelled", [](Scenario& queue) {
  queue.insert(1, 5);
  queue.insert(2, 5);
  EXPECT_TRUE(queue.cancel(2));
  queue.insert(3, 5);
  EXPECT_TRUE(queue.cancel(1));
  queue.insert(4, 5);
  EXPECT_EQ(queue.expire(5), 2u);
  EXPECT_TRUE(queue.ran({{3, 5, 5}, {4, 5, 5}}));
});

// A-34, D-71
const Sentence no_trace("RunsTheOthersInTimeAfterACancel", [](const QueueKind& kind) {
  for (const Tick start : Ticks{0, 1, 63, 300}) {
    for (const Tick delay : wheel_edges(1 << 20)) {
      SCOPED_TRACE(testing::Message() << delay << " from " << start);
      Scenario queue(kind, start);
      queue.insert_in(1, delay);
      queue.insert_in(2, 1 << 30);
      EXPECT_TRUE(queue.cancel(1));
      ASSERT_EQ(queue.advance(delay), 0u);
      ASSERT_EQ(queue.expire(start + (1 << 30) - 1), 0u);
      ASSERT_EQ(queue.expire(start + (1 << 30)), 1u);
    }
  }
});

//
const Sentence neighbour("FindsWhatIsLeftInABucketAfterACancel", [](const QueueKind& kind) {
  for (const Tick delay : wheel_edges(1 << 20)) {
    for (const Id cancelled : Ids{1, 2}) {
      SCOPED_TRACE(delay);
      Scenario queue(kind);
      queue.insert(1, delay);
      queue.insert(2, delay);
      EXPECT_TRUE(queue.cancel(cancelled));
      EXPECT_EQ(queue.expire(delay - 1), 0u);
      EXPECT_EQ(queue.expire(delay), 1u);
      EXPECT_TRUE(queue.ran({{3 - cancelled, delay, delay}}));
    }
  }
});

//
const Sentence cascaded("CancelsATimerThatCascaded", [](Scenario& queue) {
  queue.insert(1, 5000);
  queue.insert(2, 5000);
  EXPECT_EQ(queue.expire(4095), 0u);
  EXPECT_EQ(queue.expire(4500), 0u);
  EXPECT_TRUE(queue.cancel(1));
  EXPECT_EQ(queue.expire(6000), 1u);
  EXPECT_TRUE(queue.ran({{2, 5000, 6000}}));
});

//
const Sentence cascaded_anywhere("CancelsATimerWhereverItCascadedTo", [](const QueueKind& kind) {
  const auto edges = wheel_edges(1 << 13);
  for (const Tick deadline : edges) {
    for (const Tick stop : edges) {
      if (stop >= deadline) break;
      SCOPED_TRACE(testing::Message() << deadline << " cancelled at " << stop);
      Scenario queue(kind);
      queue.insert(1, deadline);
      queue.insert(2, deadline);
      queue.insert(3, deadline + 1);
      ASSERT_EQ(queue.expire(stop), 0u);
      ASSERT_TRUE(queue.cancel(1));
      ASSERT_EQ(queue.expire(deadline - 1), 0u);
      ASSERT_EQ(queue.expire(deadline + 1), 2u);
      ASSERT_TRUE(queue.ran({{2, deadline, deadline + 1}, {3, deadline + 1, deadline + 1}}));
    }
  }
});

/// Orders of insertion that make a heap whose left part is greater than its right part. The first
/// is for a heap with two children a node, the second for four.
const Ticks kUnevenHeap = {1, 20, 2, 30, 21, 3, 4, 40, 31, 22, 23, 10, 11, 5, 6};
const Ticks kUnevenWideHeap = {1,  50, 2,  3,  4,  60, 61, 62, 63, 70, 71,
                               72, 73, 74, 75, 76, 77, 78, 79, 80, 5};

void expect_sorted_without(const QueueKind& kind, const Ticks& heap, const Ticks& cancelled) {
  Scenario queue(kind);
  for (const Tick deadline : heap) queue.insert(deadline, deadline);
  Ticks rest = heap;
  for (const Tick deadline : cancelled) {
    ASSERT_TRUE(queue.cancel(deadline));
    rest.erase(std::find(rest.begin(), rest.end(), deadline));
  }
  std::sort(rest.begin(), rest.end());
  std::vector<Expiry> expected;
  for (const Tick deadline : rest) expected.push_back({deadline, deadline, 100});
  EXPECT_EQ(queue.expire(100), expected.size());
  EXPECT_TRUE(queue.ran(expected));
}

// A-36, D-49
const Sentence heap_middle("StaysSortedWhenTheMiddleIsCancelled", [](const QueueKind& kind) {
  expect_sorted_without(kind, kUnevenHeap, {30, 21});
  expect_sorted_without(kind, kUnevenWideHeap, {60});
});

// A-36, D-49
const Sentence heap_any("StaysSortedWhicheverTwoAreCancelled", [](const QueueKind& kind) {
  for (const Ticks& heap : {kUnevenHeap, kUnevenWideHeap}) {
    for (const Tick one : heap) {
      for (const Tick other : heap) {
        if (one == other) continue;
        SCOPED_TRACE(testing::Message() << one << ", " << other);
        expect_sorted_without(kind, heap, {one, other});
      }
    }
  }
});

//
const Sentence most("StaysSortedWhenMostAreCancelled", [](const QueueKind& kind) {
  constexpr Tick kTimers = 1009;
  for (const Tick step : Ticks{1, 5, 389, 1008}) {
    SCOPED_TRACE(step);
    Scenario queue(kind);
    std::vector<Expiry> expected;
    for (Id id = 1; id < kTimers; ++id) queue.insert(id, id * step % kTimers);
    for (Id id = 1; id < kTimers; ++id) {
      if (id % 10 == 0) continue;
      ASSERT_TRUE(queue.cancel(id));
    }
    for (Tick deadline = 1; deadline < kTimers; ++deadline) {
      for (Id id = 10; id < kTimers; id += 10) {
        if (id * step % kTimers == deadline) expected.push_back({id, deadline, kTimers});
      }
    }
    EXPECT_EQ(queue.expire(kTimers), expected.size());
    EXPECT_TRUE(queue.ran(expected));
  }
});

// D-40, D-45, D-46, A-82
const Sentence all_levels("CancelsEverythingOnAllLevels", [](Scenario& queue) {
  queue.tolerate_lateness();
  const auto edges = wheel_edges(Tick{1} << 40);
  for (const Tick edge : edges) queue.insert(edge, edge);
  EXPECT_EQ(queue.size(), edges.size());
  for (const Tick edge : edges) ASSERT_TRUE(queue.cancel(edge));
  EXPECT_EQ(queue.size(), 0u);
  EXPECT_EQ(queue.expire(Tick{1} << 41), 0u);
  queue.insert_in(0, 1);
  EXPECT_EQ(queue.size(), 1u);
});

}  // namespace
}  // namespace timers::conformance::about_cancel
