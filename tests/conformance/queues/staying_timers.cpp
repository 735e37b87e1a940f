/// Timers that stay: made once, armed and disarmed often.

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <utility>
#include <vector>

#include "tests/conformance/allocations.hpp"
#include "tests/conformance/queues/needs.hpp"
#include "tests/conformance/queues/scenario.hpp"
#include "tests/conformance/queues/sentence.hpp"
#include "tests/conformance/random.hpp"

namespace timers::conformance::about_staying_timers {
namespace {

const Sentence made("DoesNotRunATimerThatIsOnlyMade", [](Scenario& queue) {
  queue.make(1);
  EXPECT_EQ(queue.size(), 0u);
  EXPECT_FALSE(queue.disarm(1));
  EXPECT_EQ(queue.expire(100), 0u);
  EXPECT_FALSE(queue.arm(1, 101));
  EXPECT_EQ(queue.expire(101), 1u);
});

const Sentence armed_again("KeepsATimerThatStaysWhenItHasRun", [](Scenario& queue) {
  queue.make(1);
  queue.arm(1, 5);
  EXPECT_EQ(queue.expire(5), 1u);
  EXPECT_FALSE(queue.disarm(1));
  EXPECT_FALSE(queue.arm(1, 9));
  EXPECT_EQ(queue.expire(9), 1u);
  EXPECT_TRUE(queue.ran({{1, 5, 5}, {1, 9, 9}}));
  EXPECT_EQ(queue.destroyed(1), 0);
  queue.drop(1);
  EXPECT_EQ(queue.destroyed(1), 1);
});

const Sentence last_arm_counts("RunsAnArmedTimerAtItsLastDeadlineOnly", [](Scenario& queue) {
  for (const Id id : Ids{1, 2}) queue.make(id);
  queue.arm(1, 5);
  EXPECT_TRUE(queue.arm(1, 10));
  queue.arm(2, 300);
  EXPECT_TRUE(queue.arm(2, 7));
  EXPECT_EQ(queue.expire(6), 0u);
  EXPECT_EQ(queue.expire(10), 2u);
  EXPECT_EQ(queue.expire(1000), 0u);
  EXPECT_TRUE(queue.ran({{2, 7, 10}, {1, 10, 10}}));
});

const Sentence disarmed("RunsNoTimerThatIsDisarmed", [](Scenario& queue) {
  queue.make(1);
  queue.arm(1, 5);
  EXPECT_TRUE(queue.disarm(1));
  EXPECT_FALSE(queue.disarm(1));
  EXPECT_EQ(queue.size(), 0u);
  EXPECT_EQ(queue.expire(5), 0u);
  EXPECT_EQ(queue.destroyed(1), 0);
});

// an owner moves in each call, whether its timer is pending or not.
const Sentence disarmed_moves("LetsTheOwnerOfADisarmedTimerMove", [](Scenario& queue) {
  for (const Id id : Ids{1, 2, 3}) {
    queue.make(id);
    queue.arm(id, 5);
  }
  EXPECT_TRUE(queue.disarm(2));
  for (int i = 0; i < 3; ++i) EXPECT_FALSE(queue.disarm(2));
  EXPECT_EQ(queue.expire(5), 2u);
  EXPECT_TRUE(queue.ran({{1, 5, 5}, {3, 5, 5}}));
  EXPECT_FALSE(queue.arm(2, 6));
  EXPECT_EQ(queue.expire(6), 1u);
});

// The next deadline is before, at or after the deadline that was given up.
const Sentence armed_anew("ArmsATimerAgainThatWasDisarmed", [](Scenario& queue) {
  for (const Id id : Ids{1, 2, 3}) {
    queue.make(id);
    queue.arm(id, 500);
    queue.disarm(id);
  }
  queue.arm(1, 499);
  queue.arm(2, 500);
  queue.arm(3, 70'000);
  EXPECT_EQ(queue.expire(498), 0u);
  EXPECT_EQ(queue.expire(499), 1u);
  EXPECT_EQ(queue.expire(500), 1u);
  EXPECT_EQ(queue.expire(69'999), 0u);
  EXPECT_EQ(queue.expire(70'000), 1u);
});

const Sentence armed_in_past("RunsATimerThatIsArmedInThePastAtTheNextTick", [](Scenario& queue) {
  queue.make(1);
  queue.expire(10);
  queue.arm(1, 3);
  EXPECT_EQ(queue.expire(10), 0u);
  EXPECT_EQ(queue.expire(11), 1u);
  EXPECT_TRUE(queue.ran({{1, 11, 11}}));
});

const Sentence end_of_time("NeverRunsATimerThatIsArmedAtTheEndOfTime", [](Scenario& queue) {
  for (const Id id : Ids{1, 2}) queue.make(id);
  queue.arm(1, kEndOfTime);
  EXPECT_EQ(queue.expire(kEndOfTime), 1u);
  EXPECT_FALSE(queue.arm(1, kEndOfTime));
  EXPECT_TRUE(queue.arm(1, 7));
  EXPECT_FALSE(queue.arm(2, 0));
  EXPECT_EQ(queue.expire(kEndOfTime), 0u);
  EXPECT_TRUE(queue.disarm(1));
  EXPECT_EQ(queue.size(), 1u);
});

const Sentence order("RunsArmedTimersInTheOrderInWhichTheyWereArmed", [](Scenario& queue) {
  queue.needs_fifo();
  queue.make(1);
  queue.make(2);
  queue.arm(2, 50);
  queue.arm(1, 50);
  queue.insert(3, 50);
  queue.arm(2, 50);
  EXPECT_EQ(queue.expire(50), 3u);
  EXPECT_TRUE(queue.ran({{1, 50, 50}, {3, 50, 50}, {2, 50, 50}}));
});

const Sentence beside("KeepsTimersThatStayApartFromThoseThatDoNot", [](Scenario& queue) {
  queue.insert(1, 5);
  EXPECT_TRUE(queue.cancel(1));
  queue.make(2);  // perhaps at the address of the first one
  queue.arm(2, 6);
  EXPECT_FALSE(queue.cancel(1));
  queue.drop(2);
  queue.insert(3, 7);
  EXPECT_FALSE(queue.cancel(1));
  EXPECT_EQ(queue.expire(10), 1u);
  EXPECT_TRUE(queue.ran({{3, 7, 10}}));
});

const Sentence own_callback("LetsATimerArmItselfAsItRuns", [](Scenario& queue) {
  queue.make(1);
  queue.arm(1, 5);
  queue.on_expiry(1, [&] { EXPECT_FALSE(queue.arm(1, 5)); });
  EXPECT_EQ(queue.expire(5), 1u);
  EXPECT_EQ(queue.expire(5), 0u);
  EXPECT_EQ(queue.expire(6), 1u);
  EXPECT_TRUE(queue.ran({{1, 5, 5}, {1, 6, 6}}));
});

const Sentence drops_itself("LetsATimerDropItselfAsItRuns", [](Scenario& queue) {
  for (const bool arms_first : {false, true}) {
    const Id id = arms_first ? 2 : 1;
    queue.make(id);
    queue.arm(id, 5);
    queue.on_expiry(id, [&queue, id, arms_first] {
      if (arms_first) queue.arm(id, 100);
      queue.drop(id);
      EXPECT_EQ(queue.destroyed(id), 0) << "the task runs";
      queue.insert(id + 10, 7);
    });
  }
  EXPECT_EQ(queue.expire(5), 2u);
  EXPECT_EQ(queue.destroyed(1), 1);
  EXPECT_EQ(queue.destroyed(2), 1);
  EXPECT_EQ(queue.expire(1000), 2u);
});

//
const Sentence drops_another("RunsNoTimerThatIsDroppedInTheSameCall", [](Scenario& queue) {
  for (const Id id : Ids{1, 2, 3}) {
    queue.make(id);
    queue.arm(id, 4 + id);
  }
  queue.on_expiry(1, [&] {
    queue.drop(2);
    EXPECT_EQ(queue.destroyed(2), 1);
    EXPECT_TRUE(queue.disarm(3));
  });
  EXPECT_EQ(queue.expire(10), 1u);
});

const Sentence in_place("NeverMovesTheTaskOfATimerThatStays", [](Scenario& queue) {
  queue.tolerate_lateness();
  queue.make(0);
  queue.arm(0, 1);
  queue.on_expiry(0, [&] {
    if (queue.now() > 1) return;
    for (Id id = 1; id <= 1000; ++id) queue.insert(id, 2 + id % 100);
    for (Id id = 1001; id <= 2000; ++id) queue.make(id);
  });
  queue.advance(1 + queue.promises().max_lateness(1));
  const void* const place = queue.place_of_task(0);
  for (Tick delay = 1; delay < 100'000; delay *= 10) {
    queue.arm(0, queue.now() + delay);
    queue.arm(0, queue.now() + delay);
    queue.advance(delay + queue.promises().max_lateness(delay));
    ASSERT_EQ(queue.place_of_task(0), place);
  }
  EXPECT_EQ(queue.destroyed(0), 0);
});

const Sentence its_task("GivesTheTaskOfEachTimerAtAnyTime", [](Scenario& queue) {
  const Ids ids = {1, 2, 3};
  const auto look = [&] {
    for (const Id id : ids) queue.look_at_task(id);
  };
  for (const Id id : ids) queue.make(id);
  look();
  for (const Id id : ids) {
    queue.arm(id, 4 + id);
    queue.on_expiry(id, look);
  }
  look();
  queue.move_queue();
  look();
  EXPECT_EQ(queue.expire(10), ids.size());
  look();
});

const Sentence exception("LeavesATimerAsItsCallbackLeftItThatThrew", [](Scenario& queue) {
  for (const Id id : Ids{1, 2}) {
    queue.make(id);
    queue.arm(id, 5);
  }
  queue.on_expiry(1, [] { throw std::runtime_error("of a callback"); });
  queue.on_expiry(2, [&] {
    queue.arm(2, 9);
    throw std::runtime_error("of a callback");
  });
  for (int i = 0; i < 2; ++i) EXPECT_THROW(queue.expire(5), std::runtime_error);
  EXPECT_EQ(queue.expire(5), 0u);
  EXPECT_FALSE(queue.disarm(1));
  EXPECT_TRUE(queue.disarm(2));
  EXPECT_FALSE(queue.arm(1, 6));
  queue.on_expiry(1, [] {});
  EXPECT_EQ(queue.expire(6), 1u);
});

// Timers that a throwing callback drops, and timers that are dropped after it.
const Sentence dropped_after("DropsATimerWhoseCallbackThrew", [](Scenario& queue) {
  for (const Id id : Ids{1, 2}) {
    queue.make(id);
    queue.arm(id, 5);
  }
  queue.on_expiry(1, [&] {
    queue.drop(1);
    throw std::runtime_error("of a callback");
  });
  queue.on_expiry(2, [] { throw std::runtime_error("of a callback"); });
  for (int i = 0; i < 2; ++i) EXPECT_THROW(queue.expire(5), std::runtime_error);
  EXPECT_EQ(queue.destroyed(1), 1);
  EXPECT_EQ(queue.destroyed(2), 0);
  queue.drop(2);
  EXPECT_EQ(queue.destroyed(2), 1);
  EXPECT_EQ(queue.expire(5), 0u);
  queue.make(3);
  queue.arm(3, 9);
  EXPECT_EQ(queue.expire(9), 1u);
});

const Sentence owner_moves_on("DropsTheTimerOfAnOwnerThatIsAssignedAnother", [](Scenario& queue) {
  for (const Id id : Ids{1, 2}) {
    queue.make(id);
    queue.arm(id, 5);
  }
  queue.drop_for(1, 2);
  EXPECT_EQ(queue.destroyed(1), 1);
  EXPECT_EQ(queue.destroyed(2), 0);
  EXPECT_TRUE(queue.arm(2, 6));
  EXPECT_EQ(queue.expire(10), 1u);
  EXPECT_TRUE(queue.ran({{2, 6, 10}}));
  queue.drop(2);
  EXPECT_EQ(queue.destroyed(2), 1);
});

const Sentence none_assigned("DropsTheTimerOfAnOwnerThatIsAssignedNone", [](Scenario& queue) {
  for (const Id id : Ids{1, 2, 3}) {
    queue.make(id);
    queue.arm(id, 5);
  }
  queue.drop_for_nothing(1);
  EXPECT_EQ(queue.destroyed(1), 1);
  queue.drop_for_nothing(1);  // It owns nothing already.
  queue.drop_for(1, 2);
  EXPECT_EQ(queue.destroyed(2), 0);
  queue.on_expiry(3, [&] { queue.drop_for_nothing(3); });
  EXPECT_EQ(queue.expire(5), 2u);
  EXPECT_EQ(queue.destroyed(3), 1);
  EXPECT_FALSE(queue.disarm(2));
});

const Sentence idle_owner("GivesATimerToAnOwnerOfNothing", [](Scenario& queue) {
  queue.make_for_owner_of_nothing(1);
  queue.make(2);
  queue.arm(1, 5);
  queue.arm(2, 5);
  EXPECT_EQ(queue.expire(5), 2u);
  EXPECT_FALSE(queue.arm(1, 6));
  queue.drop(1);
  EXPECT_EQ(queue.destroyed(1), 1);
  EXPECT_EQ(queue.size(), 0u);
});

const Sentence dropped("DestroysTheTaskOfATimerThatIsDropped", [](Scenario& queue) {
  for (const Id id : Ids{1, 2}) queue.make(id);
  queue.arm(1, 5);
  queue.on_destruction_of(1, [&] {
    EXPECT_EQ(queue.size(), 0u);
    queue.insert(3, 6);
    queue.arm(2, 7);
  });
  queue.drop(1);
  EXPECT_EQ(queue.destroyed(1), 1);
  EXPECT_EQ(queue.expire(10), 2u);
});

const Sentence moves("LetsOwnersFollowAQueueThatMoves", [](Scenario& queue) {
  for (const Id id : Ids{1, 2, 3}) queue.make(id);
  queue.arm(1, 5);
  queue.move_queue();
  queue.arm(2, 6);
  queue.drop(1);
  queue.move_queue();
  EXPECT_EQ(queue.expire(10), 1u);
  queue.arm(3, 12);
  EXPECT_EQ(queue.expire(12), 1u);
});

const Sentence owner_assigned("LetsOwnersFollowAQueueThatIsAssigned", [](Scenario& queue) {
  queue.make(1);
  queue.arm(1, 5);
  queue.assign_queue_over_one_with(2, 3);
  EXPECT_TRUE(queue.arm(1, 6));
  EXPECT_EQ(queue.expire(10), 1u);
  queue.drop(1);
  EXPECT_TRUE(queue.ran({{1, 6, 10}}));
});

const Sentence swapped("LetsOwnersFollowAQueueThatIsSwapped", [](Scenario& queue) {
  for (const Id id : Ids{1, 2}) queue.make(id);
  queue.arm(1, 5);
  queue.swap_queue_with_one_with(3, 4);
  EXPECT_TRUE(queue.arm(1, 6));
  queue.arm(2, 7);
  EXPECT_EQ(queue.expire(10), 2u);
  queue.drop(1);
  EXPECT_EQ(queue.destroyed(1), 1);
});

/// Owners of pending and of resting timers outlive their queue. The next queue is at its address,
/// and has its timers in the same places.
void outlive_queue(Scenario& queue, void (Scenario::*end_queue)()) {
  for (const Id id : Ids{1, 2, 3, 4}) queue.make(id);
  queue.arm(1, 5);
  queue.arm(2, 6);
  (queue.*end_queue)();
  for (const Id id : Ids{1, 2, 3, 4}) EXPECT_EQ(queue.destroyed(id), 1);
  for (const Id id : Ids{5, 6, 7, 8}) {
    queue.make(id);
    queue.arm(id, 7);
  }
  queue.drop(1);
  queue.drop_for_nothing(2);
  queue.drop(3);
  queue.drop_for(4, 8);
  EXPECT_EQ(queue.size(), 4u);
  EXPECT_EQ(queue.expire(7), 4u);
}

//
const Sentence outlives("LetsOwnersOutliveTheirQueue",
                        [](Scenario& queue) { outlive_queue(queue, &Scenario::begin_anew); });

//
const Sentence outlives_assignment("LetsOwnersOutliveAQueueThatIsAssignedTo", [](Scenario& queue) {
  outlive_queue(queue, &Scenario::assign_fresh_queue);
});

const Sentence no_memory("ArmsTimersWithoutMemoryOfTheirOwn", [](const QueueKind& kind) {
  need_staying_timers(kind);
  constexpr std::size_t kTimers = 1000;
  constexpr int kRounds = 200;
  constexpr unsigned kDelayBits = 12;
  const auto queue = kind.make();
  std::size_t ran = 0;
  queue->on_staying_expiry([&](Tick, ProbeTask&) { ++ran; });
  std::vector<std::unique_ptr<AnyQueue::Timer>> timers;
  for (std::size_t i = 0; i < kTimers; ++i) timers.push_back(queue->make(ProbeTask(i)));
  Random random(23);
  Tick now = 0;
  const AllocationMeter meter;
  std::uint64_t when_it_has_grown = 0;
  for (int round = 0; round < kRounds; ++round) {
    for (const auto& timer : timers) queue->arm(*timer, now + random.up_to_bits(kDelayBits));
    for (const auto& timer : timers) {
      if (random.one_in(2)) queue->disarm(*timer);
    }
    now += Tick{1} << (kDelayBits - 1);
    queue->expire(now, [](Tick, ProbeTask) {});
    if (round == 9) when_it_has_grown = meter.allocations();
  }
  EXPECT_GT(ran, kTimers);
  EXPECT_LE(meter.allocations() - when_it_has_grown, 64u);
  timers.clear();
});

}  // namespace
}  // namespace timers::conformance::about_staying_timers
