/// The order in which timers run if they are due in the same call.

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "tests/conformance/queues/edges.hpp"
#include "tests/conformance/queues/scenario.hpp"
#include "tests/conformance/queues/sentence.hpp"

namespace timers::conformance::about_order {
namespace {

//
const Sentence ticks("RunsAllOfATickBeforeAnyOfTheNext", [](Scenario& queue) {
  queue.insert(1, 12);
  queue.insert(2, 11);
  queue.insert(3, 12);
  queue.insert(4, 10);
  queue.insert(5, 11);
  queue.insert(6, 10);
  EXPECT_EQ(queue.expire(50), 6u);
  EXPECT_TRUE(
      queue.ran({{4, 10, 50}, {6, 10, 50}, {2, 11, 50}, {5, 11, 50}, {1, 12, 50}, {3, 12, 50}}));
});

//
const Sentence permutations("SortsWhateverTheOrderOfInsertion", [](const QueueKind& kind) {
  Ticks deadlines = {1, 2, 3, 64, 65, 4097};
  do {
    SCOPED_TRACE(testing::PrintToString(deadlines));
    Scenario queue(kind);
    for (const Tick deadline : deadlines) queue.insert(deadline, deadline);
    EXPECT_EQ(queue.expire(5000), 6u);
    ASSERT_TRUE(queue.ran({{1, 1, 5000},
                           {2, 2, 5000},
                           {3, 3, 5000},
                           {64, 64, 5000},
                           {65, 65, 5000},
                           {4097, 4097, 5000}}));
  } while (std::next_permutation(deadlines.begin(), deadlines.end()));
});

//
const Sentence shuffled("SortsManyTimers", [](const QueueKind& kind) {
  Ticks deadlines;
  std::vector<Expiry> expected;
  for (Tick deadline = 1; deadline <= 2000; ++deadline) {
    deadlines.push_back(deadline * 37);
    expected.push_back({deadline * 37, deadline * 37, 100'000});
  }
  for (unsigned seed = 0; seed < 10; ++seed) {
    SCOPED_TRACE(seed);
    std::shuffle(deadlines.begin(), deadlines.end(), std::mt19937(seed));
    Scenario queue(kind);
    for (const Tick deadline : deadlines) queue.insert(deadline, deadline);
    EXPECT_EQ(queue.expire(100'000), 2000u);
    ASSERT_TRUE(queue.ran(expected));
  }
});

// A-51, D-50
const Sentence ties("RunsEqualDeadlinesInTheOrderTheyWereSet", [](const QueueKind& kind) {
  for (const Id timers : Ids{2, 3, 8, 100, 1000}) {
    for (const Tick deadline : Ticks{Tick{1}, Tick{100}, Tick{4096}, Tick{1} << 33}) {
      SCOPED_TRACE(testing::Message() << timers << " at " << deadline);
      Scenario queue(kind);
      std::vector<Expiry> expected;
      for (Id id = 1; id <= timers; ++id) {
        queue.insert(id, deadline);
        expected.push_back({id, deadline, deadline});
      }
      EXPECT_EQ(queue.expire(deadline), timers);
      EXPECT_TRUE(queue.ran(expected));
    }
  }
});

//
const Sentence mixed_ties("RunsEqualDeadlinesAmongOthersInTheOrderTheyWereSet", [](Scenario&
                                                                                       queue) {
  const Ticks deadlines = {50, 10, 30, 10, 50, 30, 10};
  for (Id id = 0; id < 7; ++id) queue.insert(id, deadlines[id]);
  EXPECT_EQ(queue.expire(60), 7u);
  EXPECT_TRUE(queue.ran(
      {{1, 10, 60}, {3, 10, 60}, {6, 10, 60}, {2, 30, 60}, {5, 30, 60}, {0, 50, 60}, {4, 50, 60}}));
});

// A-52, D-50
const Sentence cancel_and_set("RunsATimerThatIsCancelledAndSetAgainLast", [](Scenario& queue) {
  queue.insert(1, 100);
  queue.insert(2, 100);
  queue.insert(3, 100);
  EXPECT_TRUE(queue.cancel(1));
  queue.insert(4, 100);
  EXPECT_EQ(queue.expire(100), 3u);
  EXPECT_TRUE(queue.ran({{2, 100, 100}, {3, 100, 100}, {4, 100, 100}}));
});

// A-52, D-50
const Sentence rearm_is_last("RunsATimerThatIsRearmedToItsOwnDeadlineLast", [](Scenario& queue) {
  for (const Id id : Ids{1, 2, 3}) queue.insert(id, 100);
  EXPECT_TRUE(queue.rearm(1, 100));
  EXPECT_EQ(queue.expire(100), 3u);
  EXPECT_TRUE(queue.ran({{2, 100, 100}, {3, 100, 100}, {1, 100, 100}}));
});

//
const Sentence rearm_elsewhere("RunsATimerThatIsRearmedToATakenDeadlineLast", [](Scenario& queue) {
  queue.insert(1, 20);
  queue.insert(2, 100);
  queue.insert(3, 4000);
  queue.insert(4, 100);
  EXPECT_TRUE(queue.rearm(3, 100));
  EXPECT_TRUE(queue.rearm(1, 100));
  EXPECT_EQ(queue.expire(100), 4u);
  EXPECT_TRUE(queue.ran({{2, 100, 100}, {4, 100, 100}, {3, 100, 100}, {1, 100, 100}}));
});

//
const Sentence across_levels("KeepsTheOrderOfEqualDeadlinesAcrossLevels", [](Scenario& queue) {
  queue.insert(1, 20);
  EXPECT_EQ(queue.expire(5), 0u);
  queue.insert(2, 20);
  EXPECT_EQ(queue.expire(20), 2u);
  EXPECT_TRUE(queue.ran({{1, 20, 20}, {2, 20, 20}}));
});

//
const Sentence any_two("KeepsTheOrderOfEqualDeadlinesSetAtAnyTwoTimes", [](const QueueKind& kind) {
  const auto edges = wheel_edges(1 << 13);
  for (const Tick deadline : edges) {
    for (const Tick stop : edges) {
      if (stop >= deadline) break;
      SCOPED_TRACE(testing::Message() << deadline << " and " << stop);
      Scenario queue(kind);
      queue.insert(1, deadline);
      queue.expire(stop / 2);
      queue.insert(2, deadline);
      queue.expire(stop);
      queue.insert(3, deadline);
      queue.insert(4, deadline);
      ASSERT_EQ(queue.expire(deadline + 5), 4u);
      const Tick now = deadline + 5;
      ASSERT_TRUE(queue.ran(
          {{1, deadline, now}, {2, deadline, now}, {3, deadline, now}, {4, deadline, now}}));
    }
  }
});

//
const Sentence no_rounding("SortsDeadlinesWithinAWheelsTick", [](Scenario& queue) {
  queue.insert(1, 19);
  queue.insert(2, 11);
  EXPECT_EQ(queue.expire(20), 2u);
  EXPECT_TRUE(queue.ran({{2, 11, 20}, {1, 19, 20}}));
});

// A-49, D-18
const Sentence overdue("RunsOverdueTimersInTheirOrder", [](const QueueKind& kind) {
  Scenario queue(kind, 5000);
  queue.insert(1, 100);
  queue.insert(2, 50);
  queue.insert(3, 5001);
  EXPECT_EQ(queue.expire(9000), 3u);
  EXPECT_TRUE(queue.ran({{1, 5001, 9000}, {2, 5001, 9000}, {3, 5001, 9000}}));
});

// D-75
const Sentence end_of_bucket("DoesNotReachBeyondNowInTheLastBucket", [](const QueueKind& kind) {
  Scenario queue(kind, 100);
  queue.insert(1, 150);
  queue.insert(2, 160);
  queue.insert(3, 155);
  EXPECT_EQ(queue.expire(110), 0u);
  EXPECT_EQ(queue.expire(158), 2u);
  EXPECT_TRUE(queue.ran({{1, 150, 158}, {3, 155, 158}}));
  EXPECT_EQ(queue.expire(160), 1u);
});

//
const Sentence clock_moved("ShowsCallbacksATimeThatNeverDecreases", [](Scenario& queue) {
  std::mt19937_64 random(55);
  for (Id id = 1; id <= 500; ++id) queue.insert(id, 1 + random() % 5000);
  while (queue.size() > 0) queue.expire(queue.now() + random() % 200);
  ASSERT_EQ(queue.log().size(), 500u);
  for (std::size_t i = 1; i < queue.log().size(); ++i)
    ASSERT_LE(queue.log()[i - 1].now, queue.log()[i].now);
});

}  // namespace
}  // namespace timers::conformance::about_order
