/// A handle names one timer for ever, even if another timer reuses its storage.

#include <gtest/gtest.h>

#include "tests/conformance/queues/scenario.hpp"
#include "tests/conformance/queues/sentence.hpp"
#include "tests/conformance/sanitizers.hpp"

namespace timers::conformance::about_handles {
namespace {

//
const Sentence null("CancelsNothingByTheNullHandle", [](Scenario& queue) {
  EXPECT_FALSE(queue.cancel_null());
  queue.insert(1, 5);
  EXPECT_FALSE(queue.cancel_null());
  EXPECT_EQ(queue.size(), 1u);
  EXPECT_EQ(queue.expire(5), 1u);
  EXPECT_FALSE(queue.cancel_null());
});

//
const Sentence null_rearm("RearmsNothingByTheNullHandle", [](Scenario& queue) {
  queue.needs_rearm();
  EXPECT_FALSE(queue.rearm_null(3));
  queue.insert(1, 5);
  EXPECT_FALSE(queue.rearm_null(3));
  EXPECT_EQ(queue.expire(4), 0u);
  EXPECT_EQ(queue.expire(5), 1u);
  EXPECT_FALSE(queue.rearm_null(9));
  EXPECT_EQ(queue.size(), 0u);
});

//
const Sentence not_null("NeverIssuesTheNullHandle", [](Scenario& queue) {
  for (Id id = 1; id <= 3000; ++id) {
    queue.insert(id, id);
    ASSERT_FALSE(queue.is_null(id));
    if (id % 3 == 0) queue.cancel(id);
  }
  EXPECT_EQ(queue.expire(3000), 2000u);
  for (Id id = 3001; id <= 6000; ++id) {
    queue.insert(id, id);
    ASSERT_FALSE(queue.is_null(id));
  }
});

//
const Sentence distinct("GivesEachTimerAHandleOfItsOwn", [](Scenario& queue) {
  queue.insert(1, 5);
  queue.insert(2, 5);
  EXPECT_TRUE(queue.same_handle(1, 1));
  EXPECT_FALSE(queue.same_handle(1, 2));
  EXPECT_TRUE(queue.cancel(1));
  queue.insert(3, 5);
  EXPECT_FALSE(queue.same_handle(1, 3));
  EXPECT_EQ(queue.expire(5), 2u);
  queue.insert(4, 50);
  for (const Id id : Ids{1, 2, 3}) EXPECT_FALSE(queue.same_handle(id, 4));
});

//
const Sentence reused_after_expiry("KnowsTheHandleOfATimerThatRanAsStale", [](Scenario& queue) {
  queue.insert(1, 5);
  EXPECT_EQ(queue.expire(5), 1u);
  queue.insert(2, 10);
  EXPECT_FALSE(queue.cancel(1));
  EXPECT_EQ(queue.size(), 1u);
  EXPECT_EQ(queue.expire(10), 1u);
  EXPECT_TRUE(queue.ran({{1, 5, 5}, {2, 10, 10}}));
});

//
const Sentence reused_after_cancel("KnowsTheHandleOfACancelledTimerAsStale", [](Scenario& queue) {
  queue.insert(1, 5);
  EXPECT_TRUE(queue.cancel(1));
  queue.insert(2, 10);
  EXPECT_FALSE(queue.cancel(1));
  EXPECT_EQ(queue.size(), 1u);
  EXPECT_EQ(queue.expire(10), 1u);
  EXPECT_TRUE(queue.ran({{2, 10, 10}}));
});

//
const Sentence stale_rearm("DoesNotRearmANewTimerByAStaleHandle", [](Scenario& queue) {
  queue.needs_rearm();
  queue.insert(1, 5);
  queue.insert(2, 6);
  EXPECT_EQ(queue.expire(5), 1u);
  EXPECT_TRUE(queue.cancel(2));
  queue.insert(3, 10);
  queue.insert(4, 10);
  EXPECT_FALSE(queue.rearm(1, 7));
  EXPECT_FALSE(queue.rearm(2, 8));
  EXPECT_EQ(queue.expire(9), 0u);
  EXPECT_EQ(queue.expire(10), 2u);
});

//
const Sentence all_stale("KnowsAllHandlesOfAFormerGenerationAsStale", [](Scenario& queue) {
  constexpr Id kTimers = 3000;
  for (Id id = 0; id < kTimers; ++id) queue.insert(id, 1 + id % 100);
  EXPECT_EQ(queue.expire(100), kTimers);
  for (Id id = kTimers; id < 2 * kTimers; ++id) queue.insert(id, 200);
  for (Id id = 0; id < kTimers; ++id) ASSERT_FALSE(queue.cancel(id));
  EXPECT_EQ(queue.expire(200), kTimers);
});

/// Uses the storage of timer 0 again and again. The handle of timer 0 must stay stale.
void use_again(Scenario& queue, void (*end_timer)(Scenario& queue, Id id)) {
  constexpr Id kLives = share_of((1 << 16) + 1);
  queue.insert(0, 1);
  end_timer(queue, 0);
  for (Id id = 1; id <= kLives; ++id) {
    queue.insert_in(id, 1);
    ASSERT_FALSE(queue.cancel(0));
    end_timer(queue, id);
  }
  queue.insert_in(kLives + 1, 1);
  EXPECT_FALSE(queue.cancel(0));
  EXPECT_FALSE(queue.cancel(1));
  EXPECT_EQ(queue.advance(1), 1u);
}

//
const Sentence wrap("KnowsAHandleAsStaleAfter65537Cancels", [](Scenario& queue) {
  use_again(queue, [](Scenario& own, Id id) { ASSERT_TRUE(own.cancel(id)); });
});

//
const Sentence wrap_expired("KnowsAHandleAsStaleAfter65537Expiries", [](Scenario& queue) {
  use_again(queue, [](Scenario& own, Id) { ASSERT_EQ(own.advance(1), 1u); });
});

//
const Sentence growth("KeepsHandlesGoodWhileStorageGrows", [](const QueueKind& kind) {
  for (const Id timers : Ids{5, 17, 33, 129, 1025, 5000}) {
    SCOPED_TRACE(timers);
    Scenario queue(kind);
    for (Id id = 1; id <= timers; ++id) queue.insert(id, 10 + id % 7);
    for (Id id = 1; id <= timers; id += 2) ASSERT_TRUE(queue.cancel(id));
    EXPECT_EQ(queue.size(), timers / 2);
    EXPECT_EQ(queue.expire(16), timers / 2);
    for (const Expiry& expiry : queue.log()) {
      ASSERT_EQ(expiry.id % 2, 0u);
      ASSERT_EQ(expiry.deadline, 10 + expiry.id % 7);
    }
  }
});

}  // namespace
}  // namespace timers::conformance::about_handles
