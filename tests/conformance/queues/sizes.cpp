/// How many timers are pending.

#include <gtest/gtest.h>

#include <random>

#include "tests/conformance/queues/edges.hpp"
#include "tests/conformance/queues/scenario.hpp"
#include "tests/conformance/queues/sentence.hpp"

namespace timers::conformance::about_sizes {
namespace {

//
const Sentence arithmetic("CountsWhatIsSetAndNotRunAndNotCancelled", [](Scenario& queue) {
  EXPECT_EQ(queue.size(), 0u);
  for (Id id = 1; id <= 10; ++id) queue.insert(id, 10 * id);
  EXPECT_EQ(queue.size(), 10u);
  for (const Id id : Ids{1, 6, 9}) EXPECT_TRUE(queue.cancel(id));
  EXPECT_EQ(queue.size(), 7u);
  EXPECT_EQ(queue.expire(50), 4u);
  EXPECT_EQ(queue.size(), 3u);
});

//
const Sentence cascade("DoesNotCountACascade", [](Scenario& queue) {
  for (const Tick edge : wheel_edges(1 << 13)) queue.insert(edge, 10'000 + edge);
  const auto timers = queue.size();
  for (Tick now = 1; now <= 10'000; ++now) {
    ASSERT_EQ(queue.expire(now), 0u);
    ASSERT_EQ(queue.size(), timers);
  }
  EXPECT_EQ(queue.expire(20'000), timers);
  EXPECT_EQ(queue.size(), 0u);
});

//
const Sentence cascade_once("CountsATimerOnceAfterItsCascade", [](Scenario& queue) {
  queue.insert(1, 25);
  EXPECT_EQ(queue.expire(20), 0u);
  EXPECT_EQ(queue.size(), 1u);
  EXPECT_EQ(queue.expire(25), 1u);
  EXPECT_EQ(queue.size(), 0u);
});

//
const Sentence once("CountsACancelOnce", [](Scenario& queue) {
  queue.tolerate_lateness();
  queue.insert(1, 5);
  queue.insert(2, 5);
  queue.cancel(1);
  queue.cancel(1);
  EXPECT_EQ(queue.size(), 1u);
  queue.cancel(2);
  queue.cancel(2);
  EXPECT_EQ(queue.size(), 0u);
});

// A-80, D-14
const Sentence size_of_due_cancelled("CountsACancelOfADueTimerOnce", [](Scenario& queue) {
  constexpr Id kTimers = 11;
  for (Id id = 1; id <= kTimers; ++id) {
    queue.insert(id, 200);
    queue.on_expiry(id, [&queue, id] {
      EXPECT_EQ(queue.size(), kTimers - 1);
      for (Id other = 1; other <= kTimers; ++other) EXPECT_EQ(queue.cancel(other), other != id);
    });
  }
  EXPECT_EQ(queue.expire(200), 1u);
  EXPECT_EQ(queue.size(), 0u);
});

//
const Sentence size_of_overdue("CountsOverdueTimers", [](Scenario& queue) {
  queue.insert(1, 5);
  queue.insert(2, 5);
  queue.insert(3, 500);
  EXPECT_EQ(queue.expire(10, 0), 0u);
  EXPECT_EQ(queue.size(), 3u);
  EXPECT_EQ(queue.expire(10, 1), 1u);
  EXPECT_EQ(queue.size(), 2u);
});

//
const Sentence at_once("IsEmptyAsSoonAsEverythingIsCancelled", [](Scenario& queue) {
  queue.tolerate_lateness();
  for (Id id = 1; id <= 1000; ++id) queue.insert(id, 1 + id * id % 977);
  for (Id id = 1; id <= 1000; ++id) {
    ASSERT_TRUE(queue.cancel(id));
    ASSERT_EQ(queue.size(), 1000 - id);
  }
  queue.insert(1001, 5);
  EXPECT_EQ(queue.size(), 1u);
});

//
const Sentence after_every_call("IsConsistentAfterEveryCall", [](const QueueKind& kind) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    SCOPED_TRACE(seed);
    Scenario queue(kind);  // It checks size, next_expiry and more after each call.
    queue.tolerate_lateness();
    std::mt19937 random(seed);
    Id timers = 0;
    for (int call = 0; call < 2000 && !testing::Test::HasFailure(); ++call) {
      const Tick delay = random() >> (random() % 32);
      const Id any = timers == 0 ? 0 : 1 + random() % timers;
      switch (random() % 8) {
        case 0:
        case 1:
        case 2:
          queue.insert_in(++timers, delay);
          break;
        case 3:
          if (timers > 0) queue.cancel(any);
          break;
        case 4:
          if (timers > 0 && kind.can_rearm) queue.rearm_in(any, delay);
          break;
        case 5:
          if (kind.can_limit) queue.expire(queue.now() + delay % 512, random() % 3);
          break;
        default:
          queue.advance(delay % 512);
      }
    }
    EXPECT_GT(queue.log().size(), 100u);
  }
});

}  // namespace
}  // namespace timers::conformance::about_sizes
