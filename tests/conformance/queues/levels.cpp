/// The edges of wheels: levels, rounds, bucket 0, and what lies beyond the top.

#include <gtest/gtest.h>

#include <random>

#include "tests/conformance/queues/edges.hpp"
#include "tests/conformance/queues/scenario.hpp"
#include "tests/conformance/queues/sentence.hpp"

namespace timers::conformance::about_levels {
namespace {

/// Checks that one timer runs at its deadline, and not at the tick before.
void expect_to_the_tick(const QueueKind& kind, Tick start, Tick deadline) {
  SCOPED_TRACE(testing::Message() << deadline << " from " << start);
  Scenario queue(kind, start);
  queue.insert(1, deadline);
  EXPECT_EQ(queue.expire(deadline - 1), 0u);
  EXPECT_EQ(queue.expire(deadline), 1u);
  EXPECT_TRUE(queue.ran({{1, deadline, deadline}}));
}

//
const Sentence boundary("MeetsEveryLevelBoundary", [](const QueueKind& kind) {
  for (const Tick deadline : wheel_edges(kEndOfTime / 2)) expect_to_the_tick(kind, 0, deadline);
});

//
const Sentence boundaries("MeetsAllLevelBoundariesWithOneQueue", [](Scenario& queue) {
  const auto edges = wheel_edges(kEndOfTime / 2);
  for (const Tick edge : edges) queue.insert(edge, edge);
  for (const Tick edge : edges) {
    queue.expire(std::max(queue.now(), edge - 1));
    queue.expire(edge);
  }
  ASSERT_EQ(queue.log().size(), edges.size());
  for (const Expiry& expiry : queue.log()) ASSERT_EQ(expiry.now, expiry.deadline);
});

//
const Sentence unaligned("MeetsEveryLevelBoundaryFromAnyStart", [](const QueueKind& kind) {
  for (const Tick start : wheel_starts()) {
    for (const Tick delay : wheel_edges(1 << 13)) expect_to_the_tick(kind, start, start + delay);
  }
});

//
const Sentence all_from("MeetsAllLevelBoundariesFromAnyStart", [](const QueueKind& kind) {
  const auto edges = wheel_edges(Tick{1} << 40);
  for (const Tick start : wheel_starts()) {
    SCOPED_TRACE(start);
    Scenario queue(kind, start);
    for (const Tick edge : edges) queue.insert_in(edge, edge);
    for (const Tick edge : edges) queue.expire(start + edge);
    ASSERT_EQ(queue.log().size(), edges.size());
    for (const Expiry& expiry : queue.log()) ASSERT_EQ(expiry.now, start + expiry.id);
  }
});

//
const Sentence on_the_way("MeetsADeadlineWhereverTimeStopsOnTheWay", [](const QueueKind& kind) {
  const auto edges = wheel_edges(1 << 17);
  for (const Tick deadline : edges) {
    for (const Tick stop : edges) {
      if (stop >= deadline) break;
      SCOPED_TRACE(testing::Message() << deadline << " after a stop at " << stop);
      Scenario queue(kind);
      queue.insert(1, deadline);
      ASSERT_EQ(queue.expire(stop), 0u);
      ASSERT_EQ(queue.expire(deadline - 1), 0u);
      ASSERT_EQ(queue.expire(deadline), 1u);
    }
  }
});

//
const Sentence midway("MeetsADeadlineThatIsSetOnTheWayToAnother", [](const QueueKind& kind) {
  const auto edges = wheel_edges(1 << 13);
  for (const Tick deadline : edges) {
    for (const Tick stop : edges) {
      if (stop >= deadline) break;
      SCOPED_TRACE(testing::Message() << deadline << " set at " << stop);
      Scenario queue(kind);
      queue.insert(1, deadline + 1);
      ASSERT_EQ(queue.expire(stop), 0u);
      queue.insert(2, deadline);
      ASSERT_EQ(queue.expire(deadline - 1), 0u);
      ASSERT_EQ(queue.expire(deadline), 1u);
      ASSERT_EQ(queue.expire(deadline + 1), 1u);
    }
  }
});

// A-13, D-38
const Sentence slot_zero("RunsATimerOfBucketZeroInTime", [](const QueueKind& kind) {
  for (const Tick size : kWheelSizes) {
    for (Tick turn = 1; turn <= 2 * size && turn <= 130; ++turn)
      expect_to_the_tick(kind, 0, size * turn);
  }
});

//
const Sentence beyond_top("HoldsATimerBeyondTheTopUntilItsDeadline", [](const QueueKind& kind) {
  for (const int bits : {6, 8, 12, 16, 18, 24, 30, 32, 36, 40, 48, 54, 56, 60, 63}) {
    const Tick span = Tick{1} << bits;
    for (const Tick beyond : Ticks{0, 1, 5, 7}) {
      SCOPED_TRACE(testing::Message() << span << " and " << beyond);
      Scenario queue(kind);
      queue.insert(1, span + beyond);
      EXPECT_EQ(queue.expire(span - 1), 0u);
      EXPECT_EQ(queue.expire(span), beyond == 0 ? 1u : 0u);
      EXPECT_EQ(queue.expire(span + beyond), beyond == 0 ? 0u : 1u);
    }
  }
});

// A-14, D-72
const Sentence beyond_late("HoldsATimerBeyondTheTopAfterALongUptime", [](const QueueKind& kind) {
  std::mt19937_64 random(14);
  for (int round = 0; round < 500; ++round) {
    const Tick start = random() >> (1 + random() % 32);
    const Tick delay = 1 + (random() >> (1 + random() % 32));
    expect_to_the_tick(kind, start, start + delay);
  }
});

// A-15, D-76
const Sentence rounds("RunsATimerInItsRoundOnly", [](const QueueKind& kind) {
  for (const Tick size : kWheelSizes) {
    SCOPED_TRACE(size);
    Scenario queue(kind);
    std::vector<Expiry> expected;
    for (Tick round = 0; round <= 5; ++round) {
      for (const Tick rest : Ticks{Tick{0}, Tick{1}, size - 1}) {
        const Tick deadline = round * size + rest;
        if (deadline == 0) continue;
        queue.insert(deadline, deadline);
        expected.push_back({deadline, deadline, deadline});
      }
    }
    for (Tick now = 1; now <= 6 * size; ++now) queue.expire(now);
    EXPECT_TRUE(queue.ran(expected));
  }
});

//
const Sentence same_slot("TellsRoundsOfOneBucketApart", [](const QueueKind& kind) {
  for (const Tick size : kWheelSizes) {
    SCOPED_TRACE(size);
    Scenario queue(kind);
    queue.insert(1, 2 * size - 1);
    queue.insert(2, 3 * size - 1);
    EXPECT_EQ(queue.expire(2 * size), 1u);
    EXPECT_EQ(queue.expire(3 * size - 2), 0u);
    EXPECT_EQ(queue.expire(3 * size - 1), 1u);
    EXPECT_TRUE(queue.ran({{1, 2 * size - 1, 2 * size}, {2, 3 * size - 1, 3 * size - 1}}));
  }
});

// D-15
const Sentence short_behind("RunsAShortTimerBehindALongOneOfItsBucket", [](const QueueKind& kind) {
  for (const Tick size : kWheelSizes) {
    SCOPED_TRACE(size);
    Scenario queue(kind);
    queue.insert(1, 8 * size + 1);
    queue.insert(2, size + 1);
    queue.insert(3, 1);
    queue.insert(4, 2 * size + 1);
    for (Tick now = 1; now <= 8 * size + 1; ++now) queue.expire(now);
    EXPECT_TRUE(queue.ran({{3, 1, 1},
                           {2, size + 1, size + 1},
                           {4, 2 * size + 1, 2 * size + 1},
                           {1, 8 * size + 1, 8 * size + 1}}));
  }
});

// D-02
const Sentence no_slip("LetsATimerThatSetsItselfAnewNotSlip", [](const QueueKind& kind) {
  for (const Tick size : kWheelSizes) {
    for (const Tick period : Ticks{size - 1, size, size + 1}) {
      SCOPED_TRACE(period);
      Scenario queue(kind);
      std::vector<Expiry> expected;
      for (Id id = 1; id <= 12; ++id) expected.push_back({id, id * period, id * period});
      std::function<void(Id)> set = [&](Id id) {
        queue.insert_in(id, period);
        if (id < 12) queue.on_expiry(id, [&set, id] { set(id + 1); });
      };
      set(1);
      for (Tick now = 1; now <= 13 * period; ++now) queue.expire(now);
      EXPECT_TRUE(queue.ran(expected));
    }
  }
});

// D-04
const Sentence under_load("MeetsEqualDelaysThatAreSetWhileTimeGoesOn", [](Scenario& queue) {
  constexpr Tick kDelay = 200;
  Id id = 0;
  for (Tick now = 1; now <= 1000; ++now) {
    queue.expire(now);
    for (int i = 0; i < 10; ++i) queue.insert_in(++id, kDelay);
  }
  for (Tick now = 1001; now <= 1000 + kDelay; ++now) queue.expire(now);
  ASSERT_EQ(queue.log().size(), 10'000u);
  for (const Expiry& expiry : queue.log()) ASSERT_EQ(expiry.now, expiry.deadline);
});

}  // namespace
}  // namespace timers::conformance::about_levels
