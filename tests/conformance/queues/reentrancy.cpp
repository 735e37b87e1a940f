/// What callbacks may do to the queue that runs them, and to timers that are due in the same call.

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <vector>

#include "tests/conformance/queues/edges.hpp"
#include "tests/conformance/queues/scenario.hpp"
#include "tests/conformance/queues/sentence.hpp"

namespace timers::conformance::about_reentrancy {
namespace {

// A-56, D-39
const Sentence from_now("CountsADelayFromNowInACallbackAfterAJump", [](Scenario& queue) {
  queue.insert(1, 10);
  queue.on_expiry(1, [&] { queue.insert_in(2, 5); });
  EXPECT_EQ(queue.expire(40), 1u);
  EXPECT_EQ(queue.expire(44), 0u);
  EXPECT_EQ(queue.expire(45), 1u);
  EXPECT_TRUE(queue.ran({{1, 10, 40}, {2, 45, 45}}));
});

/// Sets timer `id` with `delay`. Its callback sets the next timer with the same delay, and so on.
void keep_setting(Scenario& queue, Id id, Tick delay) {
  queue.insert_in(id, delay);
  queue.on_expiry(id, [&queue, id, delay] { keep_setting(queue, id + 1, delay); });
}

// A-57, D-47
const Sentence zero_delay("RunsATimerThatSetsItselfWithoutDelayOnceATick", [](Scenario& queue) {
  keep_setting(queue, 1, 0);
  for (Tick now = 1; now <= 300; ++now) {
    ASSERT_EQ(queue.expire(now), 1u);
    ASSERT_EQ(queue.expire(now), 0u);
  }
  EXPECT_EQ(queue.expire(1000), 1u);
  EXPECT_EQ(queue.log().back(), (Expiry{301, 301, 1000}));
});

//
const Sentence past("RunsNothingThatACallbackSetsInTheSameCall", [](const QueueKind& kind) {
  for (const Tick wanted : Ticks{Tick{0}, Tick{10}, Tick{39}, Tick{40}, Tick{41}}) {
    SCOPED_TRACE(wanted);
    Scenario queue(kind);
    queue.insert(1, 10);
    queue.insert(2, 30);
    queue.on_expiry(1, [&] { queue.insert(3, wanted); });
    EXPECT_EQ(queue.expire(40), 2u);
    EXPECT_EQ(queue.expire(40), 0u);
    EXPECT_EQ(queue.expire(41), 1u);
    EXPECT_TRUE(queue.ran({{1, 10, 40}, {2, 30, 40}, {3, 41, 41}}));
  }
});

// A-58, D-02, D-43
const Sentence one_turn("RunsATimerSetOneTurnAheadOneTurnLater", [](const QueueKind& kind) {
  for (const Tick size : kWheelSizes) {
    for (const Tick turn : Ticks{size - 1, size, size + 1, size * size - 1, size * size}) {
      SCOPED_TRACE(turn);
      Scenario queue(kind);
      queue.insert(1, 5);
      queue.on_expiry(1, [&] { queue.insert_in(2, turn); });
      EXPECT_EQ(queue.expire(5), 1u);
      EXPECT_EQ(queue.expire(5 + turn - 1), 0u);
      EXPECT_EQ(queue.expire(5 + turn), 1u);
      EXPECT_TRUE(queue.ran({{1, 5, 5}, {2, 5 + turn, 5 + turn}}));
    }
  }
});

//
const Sentence same_bucket("SetsATimerIntoTheBucketThatIsRunning", [](const QueueKind& kind) {
  for (const Tick size : kWheelSizes) {
    SCOPED_TRACE(size);
    Scenario queue(kind);
    for (Id id = 1; id <= 3; ++id) {
      queue.insert(id, 5);
      queue.on_expiry(id, [&queue, id, size] { queue.insert_in(id + 10, size); });
    }
    EXPECT_EQ(queue.expire(5), 3u);
    EXPECT_EQ(queue.expire(5 + size), 3u);
    const Tick later = 5 + size;
    EXPECT_TRUE(queue.ran({{1, 5, 5},
                           {2, 5, 5},
                           {3, 5, 5},
                           {11, later, later},
                           {12, later, later},
                           {13, later, later}}));
  }
});

//
const Sentence before_a_turn("RunsATimerSetAlmostATurnAheadInTime", [](Scenario& queue) {
  queue.insert(1, 128);
  queue.on_expiry(1, [&] { queue.insert_in(2, 255); });
  EXPECT_EQ(queue.expire(128), 1u);
  EXPECT_EQ(queue.expire(382), 0u);
  EXPECT_EQ(queue.expire(383), 1u);
  EXPECT_TRUE(queue.ran({{1, 128, 128}, {2, 383, 383}}));
});

// A-60, D-39, D-70
const Sentence one_clock("ShowsCallbacksOneTimeOnAllLevels", [](const QueueKind& kind) {
  const auto edges = wheel_edges(1 << 13);
  for (const Tick first : edges) {
    for (const Tick delay : edges) {
      SCOPED_TRACE(testing::Message() << delay << " set at " << first);
      Scenario queue(kind);
      queue.insert(1, first);
      queue.on_expiry(1, [&] { queue.insert_in(2, delay); });
      ASSERT_EQ(queue.expire(first), 1u);
      ASSERT_EQ(queue.expire(first + delay - 1), 0u);
      ASSERT_EQ(queue.expire(first + delay), 1u);
    }
  }
});

//
const Sentence in_a_jump("ShowsCallbacksOneTimeInAJumpOverLevels", [](const QueueKind& kind) {
  const auto edges = wheel_edges(1 << 17);
  for (const Tick target : edges) {
    SCOPED_TRACE(target);
    Scenario queue(kind);
    Id id = 0;
    Id set = 1'000'000;
    for (const Tick deadline : edges) {
      queue.insert(++id, deadline);
      queue.on_expiry(id, [&] {
        queue.insert_in(++set, 1);
        queue.insert_in(++set, target);
      });
    }
    queue.expire(target);
    const auto rest = queue.size();
    EXPECT_GT(queue.log().size(), 0u);
    EXPECT_EQ(queue.expire(1 << 19), rest);
  }
});

// A-61, D-57
const Sentence self_cancel("CannotCancelATimerInItsOwnCallback", [](Scenario& queue) {
  bool cancelled = true;
  queue.insert(1, 5);
  queue.insert(2, 5);
  queue.on_expiry(1, [&] { cancelled = queue.cancel(1); });
  EXPECT_EQ(queue.expire(5), 2u);
  EXPECT_FALSE(cancelled);
  EXPECT_EQ(queue.destroyed(1), 1);
});

//
const Sentence self_rearm("CannotRearmATimerInItsOwnCallback", [](Scenario& queue) {
  bool rearmed = true;
  queue.needs_rearm();
  queue.insert(1, 5);
  queue.on_expiry(1, [&] { rearmed = queue.rearm_in(1, 10); });
  EXPECT_EQ(queue.expire(5), 1u);
  EXPECT_FALSE(rearmed);
  EXPECT_EQ(queue.expire(15), 0u);
  EXPECT_EQ(queue.size(), 0u);
});

//
const Sentence self_again("SetsItselfAgainFromItsCallback", [](Scenario& queue) {
  queue.insert(1, 5);
  queue.on_expiry(1, [&] { queue.insert_in(2, 10); });
  EXPECT_EQ(queue.expire(5), 1u);
  EXPECT_EQ(queue.expire(14), 0u);
  EXPECT_EQ(queue.expire(15), 1u);
  EXPECT_EQ(queue.expire(100), 0u);
});

// A-62, D-68
const Sentence sibling("DoesNotRunWhatACallbackOfTheSameCallCancels", [](Scenario& queue) {
  int cancelled = 0;
  queue.insert(1, 5);
  queue.insert(2, 5);
  queue.on_expiry(1, [&] { cancelled += queue.cancel(2); });
  queue.on_expiry(2, [&] { cancelled += queue.cancel(1); });
  EXPECT_EQ(queue.expire(5), 1u);
  EXPECT_EQ(cancelled, 1);
  EXPECT_EQ(queue.size(), 0u);
  EXPECT_EQ(queue.expire(500), 0u);
});

/// Runs timers 0 to 4, due at `deadlines`, in one call. The callback with index `runner` in the
/// order of running changes each timer of `subset` that has not run yet.
void change_siblings(const QueueKind& kind, const Ticks& deadlines, std::size_t runner,
                     unsigned subset, const std::function<void(Scenario&, Id)>& change) {
  SCOPED_TRACE(testing::Message() << "subset " << subset << " by callback " << runner);
  Scenario queue(kind);
  std::size_t changed = 0;
  const auto has_run = [&queue](Id id) {
    const auto same_id = [id](const Expiry& expiry) { return expiry.id == id; };
    return std::any_of(queue.log().begin(), queue.log().end(), same_id);
  };
  for (Id id = 0; id < 5; ++id) {
    queue.insert(id, deadlines[id]);
    queue.on_expiry(id, [&, runner, subset] {
      if (queue.log().size() != runner) return;
      for (Id other = 0; other < 5; ++other) {
        if (((subset >> other) & 1) == 0 || has_run(other)) continue;
        change(queue, other);
        ++changed;
      }
    });
  }
  const Tick now = deadlines.back();
  const auto ran = queue.expire(now);
  ASSERT_EQ(ran, 5 - changed);
  const auto rest = queue.size();
  ASSERT_EQ(queue.expire(now), 0u);
  ASSERT_EQ(queue.expire(now + 1000), rest);
}

/// Does the same for each runner and subset, with equal deadlines and with different ones.
void change_any_siblings(const QueueKind& kind, const std::function<void(Scenario&, Id)>& change) {
  for (const Ticks& deadlines : {Ticks{5, 5, 5, 5, 5}, Ticks{5, 6, 64, 300, 5000}}) {
    for (std::size_t runner = 1; runner <= 4; ++runner) {
      for (unsigned subset = 0; subset < 32; ++subset)
        change_siblings(kind, deadlines, runner, subset, change);
    }
  }
}

// A-62, D-40
const Sentence cancels("DoesNotRunAnythingThatACallbackCancels", [](const QueueKind& kind) {
  change_any_siblings(kind, [](Scenario& queue, Id id) { ASSERT_TRUE(queue.cancel(id)); });
});

// D-48
const Sentence rearms("RunsLaterWhatACallbackOfTheSameCallRearms", [](const QueueKind& kind) {
  change_any_siblings(kind,
                      [](Scenario& queue, Id id) { ASSERT_TRUE(queue.rearm_in(id, 10 + id % 2)); });
});

//
const Sentence rearm_to_past_within("RunsAtTheNextTickWhatACallbackRearmsToThePast",
                                    [](const QueueKind& kind) {
                                      change_any_siblings(kind, [](Scenario& queue, Id id) {
                                        ASSERT_TRUE(queue.rearm(id, id));
                                      });
                                    });

// A-62, D-48
const Sentence stop_start("RunsOnceWhatACallbackCancelsAndSetsAgain", [](const QueueKind& kind) {
  change_any_siblings(kind, [](Scenario& queue, Id id) {
    ASSERT_TRUE(queue.cancel(id));
    queue.insert_in(id + 100, 10);
  });
});

//
const Sentence earlier_sibling("CannotCancelASiblingThatRanInTheSameCall", [](Scenario& queue) {
  std::vector<Id> ran;
  int cancelled = 0;
  for (Id id = 1; id <= 4; ++id) {
    queue.insert(id, 5);
    queue.on_expiry(id, [&queue, &ran, &cancelled, id] {
      for (const Id before : ran) cancelled += queue.cancel(before);
      ran.push_back(id);
    });
  }
  EXPECT_EQ(queue.expire(5), 4u);
  EXPECT_EQ(cancelled, 0);
});

//
const Sentence reuse("TellsAReusedCellFromTheSiblingThatHadIt", [](Scenario& queue) {
  bool cancelled = true;
  queue.insert(1, 5);
  queue.insert(2, 6);
  queue.on_expiry(1, [&] {
    queue.cancel(2);
    queue.insert(3, 6);
    queue.insert(4, 60);
    cancelled = queue.cancel(2);
  });
  EXPECT_EQ(queue.expire(5), 1u);
  EXPECT_FALSE(cancelled);
  EXPECT_EQ(queue.expire(6), 1u);
  EXPECT_EQ(queue.expire(60), 1u);
  EXPECT_TRUE(queue.ran({{1, 5, 5}, {3, 6, 6}, {4, 60, 60}}));
});

//
const Sentence nested("RefusesAnExpireInACallback", [](Scenario& queue) {
  std::size_t ran = 0;
  for (Id id = 1; id <= 3; ++id) {
    queue.insert(id, 5);
    queue.on_expiry(id, [&] { ran += queue.expire(5) + queue.expire(4) + queue.expire(500); });
  }
  queue.insert(4, 50);
  EXPECT_EQ(queue.expire(5), 3u);
  EXPECT_EQ(ran, 0u);
  EXPECT_EQ(queue.expire(49), 0u);
  EXPECT_EQ(queue.expire(50), 1u);
  EXPECT_TRUE(queue.ran({{1, 5, 5}, {2, 5, 5}, {3, 5, 5}, {4, 50, 50}}));
});

//
const Sentence nested_time("DoesNotMoveTimeByAnExpireInACallback", [](Scenario& queue) {
  queue.insert(1, 5);
  queue.on_expiry(1, [&] {
    queue.expire(500);
    queue.insert(2, 10);
    queue.insert_in(3, 0);
  });
  EXPECT_EQ(queue.expire(5), 1u);
  EXPECT_EQ(queue.expire(6), 1u);
  EXPECT_EQ(queue.expire(10), 1u);
  EXPECT_TRUE(queue.ran({{1, 5, 5}, {3, 6, 6}, {2, 10, 10}}));
});

// that is no expire inside an expire.
const Sentence another_queue("LetsACallbackExpireAnotherQueue", [](const QueueKind& kind) {
  Scenario queue(kind);
  Scenario other(kind);
  for (const Id id : Ids{1, 2, 3, 4}) {
    queue.insert(id, 3 + id);
    other.insert(id, 3 + id);
  }
  queue.on_expiry(1, [&] {
    EXPECT_EQ(other.expire(5), 2u);
    EXPECT_TRUE(other.cancel(3));
    other.insert(5, 6);
    EXPECT_EQ(queue.expire(100), 0u);
  });
  EXPECT_EQ(queue.expire(10), 4u);
  EXPECT_TRUE(queue.ran({{1, 4, 10}, {2, 5, 10}, {3, 6, 10}, {4, 7, 10}}));
  EXPECT_EQ(other.expire(10), 2u);
  EXPECT_TRUE(other.ran({{1, 4, 5}, {2, 5, 5}, {5, 6, 10}, {4, 7, 10}}));
});

//
const Sentence queries("AnswersRightInACallback", [](Scenario& queue) {
  queue.needs_next_expiry();
  queue.insert(1, 5);
  queue.insert(2, 7);
  queue.insert(3, 100);
  std::vector<std::size_t> sizes;
  for (const Id id : Ids{1, 2, 3}) queue.on_expiry(id, [&] { sizes.push_back(queue.size()); });
  EXPECT_EQ(queue.expire(6), 1u);
  EXPECT_LE(queue.next_expiry(), 7u);
  EXPECT_EQ(queue.expire(100), 2u);
  EXPECT_EQ(queue.next_expiry(), std::nullopt);
  EXPECT_EQ(sizes, (std::vector<std::size_t>{2, 1, 0}));
});

//
const Sentence next_in_callback("TellsItsNextExpiryInACallback", [](Scenario& queue) {
  queue.needs_order();
  queue.needs_next_expiry();
  queue.insert(1, 5);
  queue.insert(2, 7);
  queue.insert(3, 1000);
  std::optional<Tick> in_first;
  std::optional<Tick> in_second;
  queue.on_expiry(1, [&] { in_first = queue.next_expiry(); });
  queue.on_expiry(2, [&] { in_second = queue.next_expiry(); });
  EXPECT_EQ(queue.expire(10), 2u);
  ASSERT_TRUE(in_first.has_value());
  EXPECT_LE(*in_first, 10u);  // Timer 2 is due.
  ASSERT_TRUE(in_second.has_value());
  EXPECT_GT(*in_second, 10u);
  EXPECT_LE(*in_second, 1000u);
});

//
const Sentence empty_in_callback("IsEmptyInTheCallbackOfTheLastTimer", [](Scenario& queue) {
  queue.needs_next_expiry();
  queue.insert(1, 300);
  std::optional<Tick> next = 0;
  std::size_t size = 1;
  queue.on_expiry(1, [&] {
    next = queue.next_expiry();
    size = queue.size();
  });
  EXPECT_EQ(queue.expire(300), 1u);
  EXPECT_EQ(next, std::nullopt);
  EXPECT_EQ(size, 0u);
});

// D-44
const Sentence last_adds_one("IsEmptyAfterTheTimerThatTheLastOneSet", [](Scenario& queue) {
  queue.insert(1, 10);
  queue.on_expiry(1, [&] { queue.insert(2, 11); });
  EXPECT_EQ(queue.expire(20), 1u);
  EXPECT_EQ(queue.expire(21), 1u);
  EXPECT_EQ(queue.size(), 0u);
});

// D-68
const Sentence stopped_periodic("TakesNewTimersAfterOneStoppedItself", [](Scenario& queue) {
  queue.insert(1, 5);
  queue.on_expiry(1, [&] {
    queue.insert_in(2, 5);
    queue.cancel(2);
  });
  EXPECT_EQ(queue.expire(5), 1u);
  EXPECT_EQ(queue.expire(8), 0u);
  queue.insert_in(3, 10);
  EXPECT_EQ(queue.expire(17), 0u);
  EXPECT_EQ(queue.expire(18), 1u);
});

//
const Sentence flood("TakesManyTimersFromACallback", [](Scenario& queue) {
  constexpr Id kTimers = 5000;
  queue.insert(0, 5);
  queue.insert(kTimers + 1, 5);
  queue.on_expiry(0, [&] {
    for (Id id = 1; id <= kTimers; ++id) queue.insert_in(id, id % 1000);
  });
  EXPECT_EQ(queue.expire(5), 2u);
  EXPECT_EQ(queue.expire(6), 10u);
  EXPECT_EQ(queue.expire(2000), kTimers - 10);
});

}  // namespace
}  // namespace timers::conformance::about_reentrancy
