/// The last tick: time can reach it, and a timer that is set then waits for ever.

#include <gtest/gtest.h>

#include "tests/conformance/queues/scenario.hpp"
#include "tests/conformance/queues/sentence.hpp"

namespace timers::conformance::about_end_of_time {
namespace {

// A-09, D-67
const Sentence stays("KeepsATimerOfTheLastTickPending", [](Scenario& queue) {
  queue.insert(1, kEndOfTime);
  queue.insert(2, kEndOfTime - 1);
  queue.insert(3, Tick{INT64_MAX} - 1);
  EXPECT_EQ(queue.expire(1), 0u);
  EXPECT_EQ(queue.expire(Tick{INT64_MAX} - 2), 0u);
  EXPECT_EQ(queue.expire(Tick{INT64_MAX} - 1), 1u);
  EXPECT_EQ(queue.expire(kEndOfTime - 2), 0u);
  EXPECT_EQ(queue.expire(kEndOfTime - 1), 1u);
  EXPECT_EQ(queue.expire(kEndOfTime), 1u);
  EXPECT_EQ(queue.size(), 0u);
});

//
const Sentence one_before("RunsATimerThatIsSetOneTickBeforeTheLast", [](const QueueKind& kind) {
  Scenario queue(kind, kEndOfTime - 1);
  queue.insert(1, 0);
  queue.insert(2, kEndOfTime);
  EXPECT_EQ(queue.expire(kEndOfTime - 1), 0u);
  EXPECT_EQ(queue.expire(kEndOfTime), 2u);
  EXPECT_TRUE(queue.ran({{1, kEndOfTime, kEndOfTime}, {2, kEndOfTime, kEndOfTime}}));
});

//
const Sentence runs_never("NeverRunsATimerThatIsSetAtTheLastTick", [](const QueueKind& kind) {
  Scenario queue(kind, kEndOfTime);
  queue.insert(1, 0);
  queue.insert(2, kEndOfTime);
  EXPECT_EQ(queue.size(), 2u);
  EXPECT_EQ(queue.expire(kEndOfTime), 0u);
  EXPECT_EQ(queue.expire(kEndOfTime), 0u);
  EXPECT_TRUE(queue.cancel(1));
  EXPECT_FALSE(queue.cancel(1));
  EXPECT_EQ(queue.size(), 1u);
});

//
const Sentence callback("NeverRunsATimerThatACallbackSetsAtTheLastTick", [](Scenario& queue) {
  queue.insert(1, 5);
  queue.insert(2, kEndOfTime);
  queue.on_expiry(1, [&] { queue.insert(3, kEndOfTime); });
  queue.on_expiry(2, [&] { queue.insert(4, 5); });
  EXPECT_EQ(queue.expire(kEndOfTime), 2u);
  EXPECT_EQ(queue.expire(kEndOfTime), 0u);
  EXPECT_EQ(queue.size(), 2u);
  EXPECT_TRUE(queue.ran({{1, 5, kEndOfTime}, {2, kEndOfTime, kEndOfTime}}));
});

//
const Sentence rearmed("NeverRunsATimerThatIsRearmedAtTheLastTick", [](Scenario& queue) {
  queue.insert(1, 5);
  queue.insert(2, kEndOfTime);
  queue.insert(3, kEndOfTime);
  EXPECT_EQ(queue.expire(kEndOfTime, 1), 1u);
  EXPECT_TRUE(queue.rearm(3, 7));
  EXPECT_TRUE(queue.rearm(3, kEndOfTime));
  EXPECT_EQ(queue.expire(kEndOfTime), 1u);
  EXPECT_EQ(queue.expire(kEndOfTime), 0u);
  EXPECT_EQ(queue.size(), 1u);
  EXPECT_TRUE(queue.cancel(3));
});

//
const Sentence next("HasANextExpiryAtTheLastTickWhileATimerIsPending", [](const QueueKind& kind) {
  Scenario queue(kind, kEndOfTime);
  EXPECT_EQ(queue.next_expiry(), std::nullopt);
  queue.insert(1, 3);
  EXPECT_EQ(queue.next_expiry(), kEndOfTime);
  EXPECT_TRUE(queue.cancel(1));
  EXPECT_EQ(queue.next_expiry(), std::nullopt);
});

//
const Sentence interrupted("FinishesAnInterruptedCallAtTheLastTick", [](Scenario& queue) {
  for (const Id id : Ids{1, 2}) queue.insert(id, 5);
  for (const Id id : Ids{3, 4}) queue.insert(id, kEndOfTime);
  EXPECT_EQ(queue.expire(kEndOfTime, 1), 1u);
  queue.insert(5, 5);
  EXPECT_EQ(queue.expire(kEndOfTime, 2), 2u);
  queue.insert(6, kEndOfTime);
  EXPECT_EQ(queue.expire(kEndOfTime), 1u);
  EXPECT_EQ(queue.expire(kEndOfTime), 0u);
  EXPECT_EQ(queue.size(), 2u);
});

//
const Sentence destroyed("DestroysWhatWaitsForEver", [](const QueueKind& kind) {
  Scenario queue(kind, kEndOfTime);
  for (Id id = 1; id <= 5; ++id) queue.insert(id, id);
  EXPECT_TRUE(queue.cancel(3));
  queue.move_queue();
  EXPECT_TRUE(queue.cancel(4));
  queue.destroy_queue();
  for (Id id = 1; id <= 5; ++id) EXPECT_EQ(queue.destroyed(id), 1);
});

//
const Sentence all_bits("MeetsDeadlinesOfEveryBit", [](Scenario& queue) {
  for (int bit = 0; bit < 64; ++bit) {
    const Tick power = Tick{1} << bit;
    queue.insert(static_cast<Id>(bit) + 1, power);
    queue.insert(static_cast<Id>(bit) + 101, kEndOfTime - power);
  }
  std::size_t ran = 0;
  for (int bit = 0; bit < 63; ++bit) ran += queue.expire(Tick{1} << bit);
  EXPECT_EQ(ran, 63u);
  for (int bit = 63; bit >= 0; --bit) {
    ran += queue.expire(kEndOfTime - (Tick{1} << bit) - (bit > 0 ? 1 : 0));
    ran += queue.expire(kEndOfTime - (Tick{1} << bit));
  }
  EXPECT_EQ(ran, 128u);
});

}  // namespace
}  // namespace timers::conformance::about_end_of_time
