/// How long a caller may sleep. If a queue promises an exact answer, the scenario checks the answer
/// after every call.

#include <gtest/gtest.h>

#include <random>

#include "tests/conformance/queues/edges.hpp"
#include "tests/conformance/queues/scenario.hpp"
#include "tests/conformance/queues/sentence.hpp"

namespace timers::conformance::about_next_expiry {
namespace {

void expect_next(const Scenario& queue, Tick earliest) {
  ASSERT_TRUE(queue.next_expiry().has_value());
  EXPECT_LE(*queue.next_expiry(), earliest);
  EXPECT_GT(*queue.next_expiry(), queue.now());
}

// A-84, D-72
const Sentence none("HasNoNextExpiryWhenEmpty", [](Scenario& queue) {
  EXPECT_EQ(queue.next_expiry(), std::nullopt);
  queue.insert(1, 5);
  EXPECT_NE(queue.next_expiry(), std::nullopt);
  EXPECT_TRUE(queue.cancel(1));
  EXPECT_EQ(queue.next_expiry(), std::nullopt);
  queue.insert(2, 5000);
  EXPECT_EQ(queue.expire(5000), 1u);
  EXPECT_EQ(queue.next_expiry(), std::nullopt);
  EXPECT_EQ(queue.expire(1'000'000), 0u);
  EXPECT_EQ(queue.next_expiry(), std::nullopt);
});

// A-85, D-71
const Sentence bound("NeverTellsANextExpiryBehindTheEarliestDeadline", [](const QueueKind& kind) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937_64 random(seed);
    Scenario queue(kind, random() >> (20 + random() % 40));
    const Tick start = queue.now();
    Ticks deadlines;
    for (Id id = 1; id <= 200; ++id) {
      deadlines.push_back(start + 1 + (random() >> (20 + random() % 40)));
      queue.insert(id, deadlines.back());
    }
    std::sort(deadlines.begin(), deadlines.end());
    for (const Tick deadline : deadlines) {
      if (deadline <= queue.now()) continue;
      expect_next(queue, deadline);
      queue.expire(queue.now() + (deadline - queue.now()) / 2);
      expect_next(queue, deadline);
      queue.expire(deadline);
    }
    EXPECT_EQ(queue.log().size(), 200u);
  }
});

// D-59
const Sentence within_delay("IsNoFurtherFromItsNextExpiryThanTheDelay", [](const QueueKind& kind) {
  for (const Tick start : wheel_starts()) {
    for (const Tick delay : wheel_edges(1 << 20)) {
      SCOPED_TRACE(testing::Message() << delay << " from " << start);
      Scenario queue(kind, start);
      queue.insert_in(1, delay);
      ASSERT_LE(*queue.next_expiry() - start, delay);
      EXPECT_TRUE(queue.cancel(1));
    }
  }
});

/// Sleeps from expiry to expiry until nothing is pending, and returns how often it woke.
Tick sleep_through(Scenario& queue) {
  Tick wakes = 0;
  while (const auto next = queue.next_expiry()) {
    if (*next <= queue.now()) {
      ADD_FAILURE() << "it would sleep until " << *next << " at " << queue.now();
      break;
    }
    queue.expire(*next);
    ++wakes;
  }
  return wakes;
}

//
const Sentence sleeper("WakesASleeperForEachTimerAtItsDeadline", [](Scenario& queue) {
  Tick most_wakes = 0;
  for (const Tick delay : Ticks{1000, 2, 234, 299'008, 60, 10}) {
    queue.insert(delay, delay);
    most_wakes += queue.promises().max_wakes(delay);
  }
  EXPECT_LE(sleep_through(queue), most_wakes);
  EXPECT_TRUE(queue.ran({{2, 2, 2},
                         {10, 10, 10},
                         {60, 60, 60},
                         {234, 234, 234},
                         {1000, 1000, 1000},
                         {299'008, 299'008, 299'008}}));
});

//
const Sentence wakes("WakesASleeperNoMoreOftenThanItPromises", [](const QueueKind& kind) {
  for (const Tick start : Ticks{0, 1, 5, 63, 255, 4095}) {
    for (const Tick delay : wheel_edges(1 << 15)) {
      SCOPED_TRACE(testing::Message() << delay << " from " << start);
      for (const Id timers : {Id{1}, Id{40}}) {
        Scenario queue(kind, start);
        queue.tolerate_lateness();
        for (Id id = 1; id <= timers; ++id) queue.insert_in(id, delay);
        ASSERT_LE(sleep_through(queue), kind.promises.max_wakes(delay));
        ASSERT_EQ(queue.log().size(), timers);
        ASSERT_LE(queue.now() - start - delay, kind.promises.max_lateness(delay));
      }
    }
  }
});

/// Counts the wakes of a sleeper. Timer 1 has this delay, until `change` cancels it or puts it off.
/// Timer 2, with a delay of kLong, waits all the time.
constexpr Tick kLong = 1 << 13;
Tick wakes_for_a_dead_entry(const QueueKind& kind, Tick start, Tick delay,
                            void (*change)(Scenario& queue, Id id)) {
  Scenario queue(kind, start);
  queue.tolerate_lateness();
  queue.insert_in(1, delay);
  queue.insert_in(2, kLong);
  change(queue, 1);
  return sleep_through(queue);
}

// A-34, D-71
const Sentence dead_wakes(
    "WakesASleeperForNothingNoMoreOftenThanItPromises", [](const QueueKind& kind) {
      const auto max_wakes = kind.promises.max_wakes;
      for (const Tick start : Ticks{0, 1, 63, 300}) {
        for (const Tick delay : wheel_edges(1 << 12)) {
          SCOPED_TRACE(testing::Message() << delay << " from " << start);
          const auto cancel = [](Scenario& queue, Id id) { queue.cancel(id); };
          ASSERT_LE(wakes_for_a_dead_entry(kind, start, delay, cancel),
                    max_wakes(delay) + max_wakes(kLong));
          if (!kind.can_rearm) continue;
          const auto put_off = [](Scenario& queue, Id id) { queue.rearm_in(id, kLong); };
          ASSERT_LE(wakes_for_a_dead_entry(kind, start, delay, put_off),
                    max_wakes(delay) + max_wakes(kLong));
        }
      }
    });

//
const Sentence next_is_earlier("LowersItsNextExpiryForAnEarlierTimerAtOnce", [](Scenario& queue) {
  queue.insert(1, 10'000);
  expect_next(queue, 10'000);
  queue.insert(2, 600);
  expect_next(queue, 600);
  queue.insert(3, 20'000);
  expect_next(queue, 600);
  EXPECT_EQ(queue.expire(600), 1u);
  expect_next(queue, 10'000);
});

// A-88, D-78
const Sentence head_cancelled("IsNotLateAfterACancelOfTheEarliest", [](Scenario& queue) {
  queue.insert(1, 10);
  queue.insert(2, 20);
  queue.insert(3, 3000);
  EXPECT_TRUE(queue.cancel(1));
  expect_next(queue, 20);
  EXPECT_TRUE(queue.cancel(2));
  expect_next(queue, 3000);
  queue.insert(4, 15);
  expect_next(queue, 15);
  EXPECT_GT(sleep_through(queue), 0u);
  EXPECT_TRUE(queue.ran({{4, 15, 15}, {3, 3000, 3000}}));
});

// A-88, D-78
const Sentence head_rearmed("IsNotLateAfterTheEarliestIsRearmed", [](Scenario& queue) {
  queue.insert(1, 10);
  queue.insert(2, 20);
  EXPECT_TRUE(queue.rearm(1, 4000));
  expect_next(queue, 20);
  EXPECT_TRUE(queue.rearm(2, 5000));
  expect_next(queue, 4000);
  EXPECT_GT(sleep_through(queue), 0u);
  EXPECT_TRUE(queue.ran({{1, 4000, 4000}, {2, 5000, 5000}}));
});

//
const Sentence two_levels("ComparesLevelsForItsNextExpiry", [](Scenario& queue) {
  queue.insert_in(1, 270);
  EXPECT_EQ(queue.expire(128), 0u);
  queue.insert_in(2, 250);
  expect_next(queue, 270);
  queue.insert_in(3, 10);
  expect_next(queue, 138);
  EXPECT_GT(sleep_through(queue), 0u);
  EXPECT_TRUE(queue.ran({{3, 138, 138}, {1, 270, 270}, {2, 378, 378}}));
});

//
const Sentence any_two_levels("ComparesAnyTwoLevelsForItsNextExpiry", [](const QueueKind& kind) {
  const auto edges = wheel_edges(1 << 13);
  for (const Tick first : edges) {
    for (const Tick delay : edges) {
      SCOPED_TRACE(testing::Message() << delay << " after " << first);
      Scenario queue(kind);
      queue.insert(1, first);
      ASSERT_EQ(queue.expire(first / 2), 0u);
      queue.insert_in(2, delay);
      expect_next(queue, std::min(first, first / 2 + delay));
      ASSERT_TRUE(queue.cancel(1));
      expect_next(queue, first / 2 + delay);
    }
  }
});

//
const Sentence due("TellsToWakeAtOnceWhileTimersAreDue", [](Scenario& queue) {
  queue.needs_next_expiry();
  queue.insert(1, 5);
  queue.insert(2, 300);
  queue.insert(3, 5000);
  EXPECT_EQ(queue.expire(1000, 1), 1u);
  EXPECT_LE(queue.next_expiry(), 1000u);
  EXPECT_EQ(queue.expire(1000, 1), 1u);
  expect_next(queue, 5000);
});

// D-56
const Sentence overdue_head("DoesNotHideANewTimerBehindAnOverdueOne", [](Scenario& queue) {
  queue.needs_next_expiry();
  queue.insert(1, 50);
  EXPECT_EQ(queue.expire(100, 0), 0u);
  queue.insert_in(2, 5);
  EXPECT_LE(queue.next_expiry(), 100u);
  EXPECT_EQ(queue.expire(100), 1u);
  expect_next(queue, 105);
  EXPECT_EQ(queue.expire(105), 1u);
});

// D-77
const Sentence after_adds("IsRightAfterACallThatSetTimers", [](Scenario& queue) {
  queue.needs_next_expiry();
  queue.insert(1, 10);
  queue.insert(2, 12);
  queue.insert(3, 5000);
  queue.on_expiry(1, [&] { queue.insert_in(4, 7); });
  queue.on_expiry(2, [&] { queue.insert_in(5, 300); });
  EXPECT_EQ(queue.expire(20), 2u);
  expect_next(queue, 27);
  EXPECT_EQ(queue.expire(27), 1u);
  expect_next(queue, 320);
  EXPECT_EQ(queue.expire(320), 1u);
  expect_next(queue, 5000);
});

//
const Sentence shared_bucket("KeepsItsNextExpiryWhileABucketIsNotEmpty", [](Scenario& queue) {
  for (const Id id : Ids{1, 2, 3}) queue.insert(id, 100);
  EXPECT_TRUE(queue.cancel(1));
  expect_next(queue, 100);
  EXPECT_TRUE(queue.cancel(3));
  expect_next(queue, 100);
  EXPECT_EQ(queue.expire(100), 1u);
});

}  // namespace
}  // namespace timers::conformance::about_next_expiry
