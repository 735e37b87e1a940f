/// Tests of the kit itself: a Scenario fails for each way in which a queue can be wrong.

#include "tests/conformance/queues/scenario.hpp"

#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>

#include <optional>
#include <utility>

#include "impls/queues/ordered_map.hpp"
#include "tests/queues/weak_queues.hpp"

namespace timers::conformance {
namespace {

using Right = OrderedMap<ProbeTask>;

//
TEST(Scenario, FailsWhenItSawNothingHappen) {
  EXPECT_NONFATAL_FAILURE(
      {
        Scenario queue(kind_of<Right>());
        queue.insert(1, 5);
        queue.expire(4);
      },
      "saw nothing happen");
}

TEST(Scenario, IsContentWithARightQueue) {
  Scenario queue(kind_of<Right>());
  queue.insert(1, 5);
  queue.insert(2, 5);
  queue.insert(3, 9);
  EXPECT_TRUE(queue.cancel(1));
  EXPECT_TRUE(queue.rearm(3, 7));
  EXPECT_EQ(queue.expire(7), 2u);
  EXPECT_TRUE(queue.ran({{2, 5, 7}, {3, 7, 7}}));
  EXPECT_FALSE(queue.ran({}));
  EXPECT_FALSE(queue.ran({{3, 7, 7}, {2, 5, 7}}));
  EXPECT_FALSE(queue.ran({{2, 5, 6}, {3, 7, 7}}));
}

/// Sets timers at 5 and 6, and moves time to `now`.
template <class Queue>
void set_and_expire(Tick now) {
  Scenario queue(kind_of<Queue>());
  queue.insert(1, 6);
  queue.insert(2, 5);
  queue.expire(now);
  queue.expire(100);
}

struct RunsEarly : Right {
  template <class OnExpiry>
  std::size_t expire(Tick now, OnExpiry&& on_expiry) {
    return Right::expire(now + 1, on_expiry);
  }
};

TEST(Scenario, FailsWhenATimerRunsEarly) {
  EXPECT_NONFATAL_FAILURE(set_and_expire<RunsEarly>(4),
                          "law:      No timer runs before its deadline.\n"
                          "expected: it waits until 5\n"
                          "seen:     timer 2, due at 5, ran at 4\n"
                          "history:  insert 1 at 6, insert 2 at 5, expire to 4, run 2");
}

struct RunsLate : Right {
  template <class OnExpiry>
  std::size_t expire(Tick now, OnExpiry&& on_expiry) {
    return Right::expire(now - 1, on_expiry);
  }
};

TEST(Scenario, FailsWhenADueTimerDoesNotRun) {
  EXPECT_NONFATAL_FAILURE(set_and_expire<RunsLate>(5),
                          "expected: timer 2, due at 5, has run when expire to 5 returns\n"
                          "seen:     it is pending\n");
}

struct TellsAnotherDeadline : Right {
  template <class OnExpiry>
  std::size_t expire(Tick now, OnExpiry&& on_expiry) {
    return Right::expire(
        now, [&](Tick deadline, ProbeTask task) { on_expiry(deadline + 1, std::move(task)); });
  }
};

TEST(Scenario, FailsWhenACallbackIsToldAnotherDeadline) {
  EXPECT_NONFATAL_FAILURE(set_and_expire<TellsAnotherDeadline>(5),
                          "law:      A callback is told the deadline of its timer.\n"
                          "expected: 5\n"
                          "seen:     timer 2, due at 6, ran at 5\n");
}

struct Miscounts : Right {
  template <class OnExpiry>
  std::size_t expire(Tick now, OnExpiry&& on_expiry) {
    return Right::expire(now, on_expiry) + 1;
  }
};

TEST(Scenario, FailsWhenExpireMiscounts) {
  EXPECT_NONFATAL_FAILURE(set_and_expire<Miscounts>(5),
                          "law:      expire returns how many timers ran.\n"
                          "expected: 1\n"
                          "seen:     2\n");
}

struct OneTooMany : Right {
  std::size_t size() const { return Right::size() + 1; }
};

TEST(Scenario, FailsWhenTheSizeIsWrong) {
  EXPECT_NONFATAL_FAILURE(set_and_expire<OneTooMany>(5),
                          "law:      size is the number of pending timers.\n"
                          "expected: 1\n"
                          "seen:     2\n"
                          "history:  insert 1 at 6");
}

struct SleepsTooLong : Right {
  std::optional<Tick> next_expiry() const {
    const auto next = Right::next_expiry();
    return next ? std::optional(*next + 1) : next;
  }
};

TEST(Scenario, FailsWhenTheNextExpiryIsLate) {
  EXPECT_NONFATAL_FAILURE(set_and_expire<SleepsTooLong>(5),

                          "expected: at most 6, for timer 1, due at 6\n"
                          "seen:     7\n");
}

struct NeverSleeps : Right {
  std::optional<Tick> next_expiry() const { return 0; }
};

TEST(Scenario, FailsWhenTheNextExpiryIsNotAheadThoughNothingIsDue) {
  EXPECT_NONFATAL_FAILURE(set_and_expire<NeverSleeps>(5),
                          "law:      next_expiry is after now when nothing is due.\n"
                          "expected: a tick after 0: the first timer is due at 6\n"
                          "seen:     0\n");
}

struct SleepsTooShort : Right {
  std::optional<Tick> next_expiry() const {
    const auto next = Right::next_expiry();
    return next && *next == 6 ? 1 : next;
  }
};

TEST(Scenario, FailsWhenTheNextExpiryIsNotExactAsPromised) {
  EXPECT_NONFATAL_FAILURE(set_and_expire<SleepsTooShort>(5),
                          "law:      next_expiry is exact, as the queue promises.\n"
                          "expected: 6\n"
                          "seen:     1\n");
}

/// Keeps its timers in the wrong order: the deadlines that the inner queue gets are not the real
/// ones.
template <Tick kReal>
struct OnlyKnows : Right {
  Handle insert(Tick deadline, ProbeTask task) {
    deadlines.emplace(task.id(), deadline);
    return Right::insert(kReal - deadline, std::move(task));
  }
  template <class OnExpiry>
  std::size_t expire(Tick now, OnExpiry&& on_expiry) {
    return Right::expire(now, [&](Tick, ProbeTask task) {
      const Tick deadline = deadlines.at(task.id());
      on_expiry(deadline, std::move(task));
    });
  }
  std::optional<Tick> next_expiry() const = delete;
  std::map<Id, Tick> deadlines;
};

TEST(Scenario, FailsWhenAnEarlierDeadlineIsRunLater) {
  EXPECT_NONFATAL_FAILURE(set_and_expire<OnlyKnows<20>>(50),

                          "expected: timer 2, due at 5, runs first\n"
                          "seen:     timer 1, due at 6, ran at 50\n");
}

struct CancelsNothing : Right {
  bool cancel(Handle handle) {
    Right::cancel(handle);
    return false;
  }
};

TEST(Scenario, FailsWhenTheResultOfACancelIsWrong) {
  EXPECT_NONFATAL_FAILURE(
      {
        Scenario queue(kind_of<CancelsNothing>());
        queue.insert(1, 5);
        queue.insert(2, 5);
        queue.cancel(1);
        queue.expire(5);
      },
      "expected: true, as timer 1 was pending\nseen:     false\n");
}

struct KeepsTheOrderOfRearms : Right {
  bool rearm(Handle, Tick) { return true; }
};

TEST(Scenario, FailsWhenARearmDoesNotSetATimerAnew) {
  EXPECT_NONFATAL_FAILURE(
      {
        Scenario queue(kind_of<KeepsTheOrderOfRearms>());
        queue.insert(1, 5);
        queue.insert(2, 5);
        queue.rearm(1, 5);
        queue.expire(5);
      },

      "expected: timer 2, due at 5, runs first, as it was set first\n"
      "seen:     timer 1, due at 5, ran at 5\n");
}

struct RunsForEver : PlainQueue<ProbeTask> {
  template <class OnExpiry>
  std::size_t expire(Tick now, OnExpiry&& on_expiry) {
    std::size_t ran = 0;
    while (const auto more = PlainQueue::expire(now + ran, on_expiry)) ran += more;
    return ran;
  }
};

TEST(Scenario, EndsACallThatWouldRunForEver) {
  Scenario queue(kind_of<RunsForEver>());
  Id id = 0;
  std::function<void()> set_anew = [&] {
    queue.insert_in(++id, 0);
    queue.on_expiry(id, set_anew);
  };
  set_anew();
  EXPECT_NONFATAL_FAILURE(
      EXPECT_THROW(queue.expire(1), std::runtime_error),
      "law:      expire runs each pending timer once, and no more than its limit.\n"
      "expected: at most 1 of them run\n");
}

TEST(Scenario, SkipsWhatAQueueIsNotAbleTo) {
  Scenario queue(kind_of<PlainQueue<ProbeTask>>());
  queue.insert(1, 5);
  EXPECT_THROW(queue.rearm(1, 6), Skip);
  EXPECT_THROW(queue.next_expiry(), Skip);
  EXPECT_THROW(queue.expire(5, 1), Skip);
  EXPECT_EQ(queue.expire(5), 1u);
}

TEST(Scenario, SkipsInstantsThatAQueueMayMiss) {
  Scenario queue(kind_of<LateQueue<ProbeTask, EveryEighthTick>>());
  EXPECT_THROW(queue.insert(1, 5), Skip);
  EXPECT_THROW(queue.needs_order(), Skip);
  queue.tolerate_lateness();
  queue.insert(2, 5);
  EXPECT_EQ(queue.expire(7), 0u);
  EXPECT_EQ(queue.expire(8), 1u);
}

template <class Queue>
void limit_and_expire() {
  Scenario queue(kind_of<Queue>());
  queue.insert(1, 5);
  queue.insert(2, 6);
  EXPECT_EQ(queue.expire(9, 1), 1u);
  EXPECT_EQ(queue.expire(9), 1u);
}

struct NamesTheNextTick : Right {
  std::optional<Tick> next_expiry() const {
    const auto next = Right::next_expiry();
    return next == 6 ? 10 : next;
  }
};

TEST(Scenario, AllowsAnyTickUpToNowWhileTimersAreDue) {
  limit_and_expire<Right>();                  // 6
  limit_and_expire<VagueQueue<ProbeTask>>();  // 9
  EXPECT_NONFATAL_FAILURE(limit_and_expire<NamesTheNextTick>(),
                          "expected: at most 9, for timer 2, due at 6\nseen:     10\n");
}

/// Runs timers at every eighth tick. Its next_expiry is wrong by `kAway` ticks.
template <int kAway>
struct LateAndTells : LateQueue<ProbeTask, EveryEighthTick> {
  std::optional<Tick> next_expiry() const {
    const auto next = LateQueue::next_expiry();
    return next ? std::optional(*next + static_cast<Tick>(kAway)) : next;
  }
};

template <int kAway>
void expire_at_every_tick() {
  Scenario queue(kind_of<LateAndTells<kAway>>());
  queue.tolerate_lateness();
  queue.insert(1, 3);
  for (Tick now = 1; now <= 8; ++now) queue.expire(now);
}

TEST(Scenario, HoldsALateQueueToTheTickAtWhichItsNextTimerRuns) {
  expire_at_every_tick<0>();
  EXPECT_NONFATAL_FAILURE(expire_at_every_tick<1>(),
                          "seen:     timer 1, due at 3, ran at 8, and next_expiry was 9\n");
  EXPECT_NONFATAL_FAILURE(expire_at_every_tick<-1>(), "next_expiry was 7, and no timer ran then");
  EXPECT_NONFATAL_FAILURE(expire_at_every_tick<-6>(), "expected: 3\nseen:     2\n");
  EXPECT_NONFATAL_FAILURE(expire_at_every_tick<8>(),
                          "expected: at most 10, for timer 1, due at 3\nseen:     16\n");
}

/// Cancels a timer. The destructor of its task needs what a late queue does not promise.
void cancel_and_be_skipped() {
  Scenario queue(kind_of<LateQueue<ProbeTask, CoarseLevels>>());
  queue.insert(1, 5);
  queue.on_destruction_of(1, [&] {
    queue.insert(2, 500);
    ADD_FAILURE() << "the sentence goes on";
  });
  queue.cancel(1);
  ADD_FAILURE() << "the sentence goes on";
}

TEST(Scenario, SkipsWhatATaskNeedsAsItDies) { EXPECT_THROW(cancel_and_be_skipped(), Skip); }

TEST(Scenario, ComparesWhatRanOnlyAsFarAsAnOrderIsPromised) {
  Scenario queue(kind_of<LateQueue<ProbeTask, EveryEighthTick>>());
  queue.tolerate_lateness();
  for (const Id id : Ids{1, 2, 3, 4}) queue.insert(id, 7 - id / 2);
  EXPECT_EQ(queue.expire(8), 4u);
  EXPECT_TRUE(queue.ran({{4, 5, 8}, {2, 6, 8}, {3, 6, 8}, {1, 7, 8}}));
  EXPECT_FALSE(queue.ran({{4, 5, 8}, {3, 6, 8}, {2, 6, 8}, {1, 7, 8}}));
}

}  // namespace
}  // namespace timers::conformance
