/// A timer that is re-armed stays one timer with one handle, and only its last deadline counts.

#include <gtest/gtest.h>

#include "tests/conformance/queues/edges.hpp"
#include "tests/conformance/queues/scenario.hpp"
#include "tests/conformance/queues/sentence.hpp"

namespace timers::conformance::about_rearm {
namespace {

//
const Sentence last_counts("RunsARearmedTimerAtItsLastDeadlineOnly", [](Scenario& queue) {
  queue.insert(1, 5);
  EXPECT_TRUE(queue.rearm(1, 10));
  EXPECT_EQ(queue.expire(5), 0u);
  EXPECT_EQ(queue.expire(9), 0u);
  EXPECT_EQ(queue.expire(10), 1u);
  EXPECT_EQ(queue.expire(100), 0u);
  EXPECT_TRUE(queue.ran({{1, 10, 10}}));
});

//
const Sentence far_then_near("ForgetsAFarDeadlineWhenATimerIsRearmed", [](Scenario& queue) {
  queue.insert(1, 86'400'000);
  EXPECT_TRUE(queue.rearm(1, 10));
  EXPECT_EQ(queue.expire(10), 1u);
  EXPECT_EQ(queue.expire(86'400'000), 0u);
  EXPECT_TRUE(queue.ran({{1, 10, 10}}));
});

//
const Sentence rearmed_earlier("RearmsATimerToAnEarlierDeadline", [](Scenario& queue) {
  queue.insert(1, 200);
  EXPECT_TRUE(queue.rearm(1, 100));
  if (queue.kind().has_next_expiry) {
    EXPECT_LE(queue.next_expiry(), 100u);
  }
  EXPECT_EQ(queue.expire(99), 0u);
  EXPECT_EQ(queue.expire(100), 1u);
});

//
const Sentence rearmed_later("RearmsATimerBehindAnother", [](Scenario& queue) {
  queue.insert(1, 200);
  queue.insert(2, 250);
  EXPECT_TRUE(queue.rearm(1, 300));
  EXPECT_EQ(queue.expire(250), 1u);
  EXPECT_EQ(queue.expire(300), 1u);
  EXPECT_TRUE(queue.ran({{2, 250, 250}, {1, 300, 300}}));
});

// A-40, D-70
const Sentence many("KeepsOneTimerHoweverOftenItIsRearmed", [](Scenario& queue) {
  queue.insert(1, 1);
  for (Tick deadline = 1; deadline <= 1000; ++deadline) {
    ASSERT_TRUE(queue.rearm(1, 1 + deadline * 7919 % 5003));
    ASSERT_EQ(queue.size(), 1u);
  }
  EXPECT_TRUE(queue.rearm(1, 400));
  EXPECT_EQ(queue.expire(399), 0u);
  EXPECT_EQ(queue.expire(10'000), 1u);
  EXPECT_TRUE(queue.ran({{1, 400, 10'000}}));
});

//
const Sentence across("RearmsATimerFromAnyLevelToAny", [](const QueueKind& kind) {
  const auto edges = wheel_edges(1 << 17);
  for (const Tick from : edges) {
    for (const Tick to : edges) {
      SCOPED_TRACE(testing::Message() << "from " << from << " to " << to);
      Scenario queue(kind, 3);
      queue.insert_in(1, from);
      ASSERT_TRUE(queue.rearm_in(1, to));
      ASSERT_EQ(queue.advance(to - 1), 0u);
      ASSERT_EQ(queue.advance(1), 1u);
      ASSERT_EQ(queue.advance(from), 0u);
    }
  }
});

//
const Sentence rearm_without_trace("RunsNothingAtTheDeadlineBeforeARearm",
                                   [](const QueueKind& kind) {
                                     for (const Tick delay : wheel_edges(1 << 20)) {
                                       SCOPED_TRACE(delay);
                                       Scenario queue(kind);
                                       queue.insert(1, delay);
                                       ASSERT_TRUE(queue.rearm(1, 1 << 30));
                                       ASSERT_EQ(queue.expire(delay), 0u);
                                       ASSERT_EQ(queue.expire((1 << 30) - 1), 0u);
                                       ASSERT_EQ(queue.expire(1 << 30), 1u);
                                     }
                                   });

/// Two timers are due and one of them has run. Returns the other one, which stays where the queue
/// keeps timers that are due.
Id one_of_two_is_left(Scenario& queue) {
  queue.needs_rearm();
  queue.insert(1, 64);
  queue.insert(2, 64);
  EXPECT_EQ(queue.expire(80, 1), 1u);
  EXPECT_EQ(queue.size(), 1u);
  return queue.log().at(0).id == 1 ? 2 : 1;
}

// A-41, D-65
const Sentence rearmed_when_due("RearmsATimerThatIsDueAndHasNotRun", [](Scenario& queue) {
  const Id left = one_of_two_is_left(queue);
  EXPECT_TRUE(queue.rearm_in(left, 100));
  EXPECT_EQ(queue.expire(80), 0u);
  EXPECT_EQ(queue.expire(179), 0u);
  EXPECT_EQ(queue.expire(180), 1u);
});

// A-41, D-65
const Sentence due_cancelled("CancelsATimerThatIsDueAndHasNotRun", [](Scenario& queue) {
  const Id left = one_of_two_is_left(queue);
  EXPECT_TRUE(queue.cancel(left));
  EXPECT_EQ(queue.expire(80), 0u);
  EXPECT_EQ(queue.expire(1000), 0u);
});

//
const Sentence due_past("RunsADueTimerThatIsRearmedToThePastAtTheNextTick", [](Scenario& queue) {
  const Id left = one_of_two_is_left(queue);
  EXPECT_TRUE(queue.rearm(left, 64));
  EXPECT_EQ(queue.expire(80), 0u);
  EXPECT_EQ(queue.expire(81), 1u);
  EXPECT_EQ(queue.log().at(1), (Expiry{left, 81, 81}));
});

//
const Sentence positions("RearmsATimerAcrossLevelsAtEveryPosition", [](Scenario& queue) {
  queue.insert_in(1, 258);
  for (Tick now = 1; now <= 3000; ++now) {
    ASSERT_EQ(queue.expire(now), 0u);
    ASSERT_TRUE(queue.rearm_in(1, now % 2 == 0 ? 258 : 257));
  }
  EXPECT_EQ(queue.expire(3257), 0u);
  EXPECT_EQ(queue.expire(3258), 1u);
});

//
const Sentence back_and_forth("RearmsATimerAcrossLevelsAndBack", [](const QueueKind& kind) {
  for (Tick start = 0; start < 256; ++start) {
    SCOPED_TRACE(start);
    Scenario queue(kind, start);
    queue.insert_in(1, 258);
    for (int round = 0; round < 4; ++round) {
      ASSERT_TRUE(queue.rearm(1, start + 257));
      ASSERT_TRUE(queue.rearm(1, start + 258));
    }
    ASSERT_EQ(queue.expire(start + 257), 0u);
    ASSERT_TRUE(queue.rearm_in(1, 258));
    ASSERT_EQ(queue.advance(257), 0u);
    ASSERT_EQ(queue.advance(1), 1u);
  }
});

// A-43, D-67
const Sentence to_past("RunsATimerThatIsRearmedToThePastAtTheNextTick", [](const QueueKind& kind) {
  for (const Tick deadline : Ticks{Tick{0}, Tick{899}, Tick{999}, Tick{1000}}) {
    SCOPED_TRACE(deadline);
    Scenario queue(kind, 1000);
    queue.insert(1, 5000);
    EXPECT_TRUE(queue.rearm(1, deadline));
    if (kind.has_next_expiry) {
      EXPECT_EQ(queue.next_expiry(), 1001u);
    }
    EXPECT_EQ(queue.expire(1000), 0u);
    EXPECT_EQ(queue.expire(1001), 1u);
    EXPECT_TRUE(queue.ran({{1, 1001, 1001}}));
  }
});

// D-65: a queue may mark a timer that is set in the past. A re-arm must clear the mark.
const Sentence late_no_more("ForgetsThatATimerWasLateWhenItIsRearmed", [](Scenario& queue) {
  queue.needs_rearm();
  queue.expire(100);
  for (Id id = 1; id <= 3; ++id) {
    queue.insert(id, 97);
    EXPECT_TRUE(queue.rearm(id, 500));
  }
  EXPECT_TRUE(queue.cancel(1));
  EXPECT_TRUE(queue.rearm(2, 600));
  EXPECT_EQ(queue.expire(500), 1u);
  EXPECT_EQ(queue.expire(600), 1u);
  EXPECT_TRUE(queue.ran({{3, 500, 500}, {2, 600, 600}}));
});

//
const Sentence dead("CannotRearmATimerThatIsGone", [](Scenario& queue) {
  queue.insert(1, 5);
  queue.insert(2, 5);
  queue.insert(3, 500);
  EXPECT_TRUE(queue.cancel(1));
  EXPECT_FALSE(queue.rearm(1, 50));
  EXPECT_EQ(queue.expire(5), 1u);
  EXPECT_FALSE(queue.rearm(2, 50));
  EXPECT_EQ(queue.size(), 1u);
  EXPECT_EQ(queue.expire(50), 0u);
  EXPECT_EQ(queue.expire(500), 1u);
});

//
const Sentence same_handle("KeepsTheHandleOfATimerThatIsRearmed", [](Scenario& queue) {
  queue.insert(1, 5);
  EXPECT_TRUE(queue.rearm(1, 500));
  EXPECT_TRUE(queue.rearm(1, 5));
  EXPECT_TRUE(queue.rearm(1, 50));
  EXPECT_TRUE(queue.cancel(1));
  EXPECT_FALSE(queue.rearm(1, 60));
  EXPECT_EQ(queue.expire(1000), 0u);
});

// A-38, D-64
const Sentence pending_cascade("RearmsATimerWhoseCascadeIsAhead", [](const QueueKind& kind) {
  Scenario queue(kind, 1);
  queue.insert_in(1, 200);
  EXPECT_EQ(queue.expire(4), 0u);
  EXPECT_TRUE(queue.rearm(1, 10));
  EXPECT_EQ(queue.expire(9), 0u);
  EXPECT_EQ(queue.expire(10), 1u);
});

// D-64
const Sentence overtaking("LetsRearmedTimersOvertakeEachOther", [](Scenario& queue) {
  queue.insert(1, 200);
  queue.insert(2, 250);
  EXPECT_TRUE(queue.rearm(1, 300));
  EXPECT_TRUE(queue.rearm(2, 350));
  EXPECT_TRUE(queue.rearm(1, 400));
  for (Tick now = 10; now <= 400; now += 10) queue.expire(now);
  EXPECT_TRUE(queue.ran({{2, 350, 350}, {1, 400, 400}}));
});

}  // namespace
}  // namespace timers::conformance::about_rearm
