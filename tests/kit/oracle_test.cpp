/// The oracle finds each fault of a queue, and objects to no queue that keeps its promises.

#include "tests/conformance/queues/oracle.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <string>

#include "impls/queues/min_heap.hpp"
#include "tests/conformance/queues/history.hpp"
#include "tests/conformance/queues/random_history.hpp"
#include "tests/kit/wrong_queues.hpp"
#include "tests/queues/weak_queues.hpp"

namespace timers::conformance {
namespace {

using Late = LateQueue<ProbeTask, EveryEighthTick>;

/// With this answer a caller never sleeps.
struct AlwaysSaysNow : Right {
  std::optional<Tick> next_expiry() const {
    return size() == 0 ? std::nullopt : std::optional<Tick>(0);
  }
};

std::string objection_in_random_histories(const QueueKind& kind) {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    if (const auto divergence = run(random_history(seed), kind)) return divergence->message;
  }
  return "";
}

TEST(Oracle, CountsWhatItDoes) {
  Oracle oracle(kind_of<Right>());
  const TimerId first = oracle.insert(10);
  const TimerId second = oracle.insert(20);
  EXPECT_TRUE(oracle.rearm(second, 30));
  oracle.expire(10);
  EXPECT_FALSE(oracle.cancel(first));
  EXPECT_TRUE(oracle.cancel(second));
  oracle.expire(100);
  oracle.destroy_queue();
  EXPECT_EQ(oracle.objection(), "");
  EXPECT_EQ(oracle.operations(), 6u);
}

TEST(Oracle, SeesATimerThatIsLate) {
  Oracle oracle(kind_of<LateAt64>());
  oracle.insert(64);
  EXPECT_EQ(oracle.objection(),
            "law:      next_expiry is exact, as the queue promises.\n"
            "expected: 64, as now is 0\n"
            "seen:     65");
}

TEST(Oracle, SeesAWrongSize) {
  Oracle oracle(kind_of<CountsToThree>());
  for (int i = 0; i < 4; ++i) oracle.insert(1);
  EXPECT_EQ(oracle.objection(),
            "law:      size is the number of pending timers.\nexpected: 4\nseen:     3");
}

TEST(Oracle, SeesThatAnExceptionIsSwallowed) {
  EXPECT_EQ(run({insert(0, after(1), {throws()}), expire(after(1))}, kind_of<SwallowsExceptions>()),
            (Divergence{1,
                        "law:      An exception of a callback leaves expire.\n"
                        "expected: expire throws\n"
                        "seen:     it returned 1"}));
}

TEST(Oracle, SeesATaskThatIsNeverDestroyed) {
  struct Leaks : Right {
    Leaks() = default;
    Leaks(Leaks&&) = default;
    Leaks& operator=(Leaks&&) = default;
    ~Leaks() { leaked() = std::move(static_cast<Right&>(*this)); }
    static Right& leaked() {
      static Right* const queue = new Right;
      return *queue;
    }
  };
  const auto divergence = run({insert(0, after(1)), insert(1, after(1))}, kind_of<Leaks>());
  EXPECT_EQ(divergence, (Divergence{2,
                                    "law:      A queue destroys its tasks when it is destroyed.\n"
                                    "expected: no task is left\n"
                                    "seen:     2 tasks are left"}));
}

TEST(Oracle, HoldsAQueueToThePromiseOfOrder) {
  QueueKind kind = kind_of<MinHeap<ProbeTask, HeapTies>>();
  EXPECT_EQ(objection_in_random_histories(kind), "");
  kind.promises.fifo = true;
  EXPECT_NE(objection_in_random_histories(kind), "");
}

TEST(Oracle, AllowsTheLatenessThatIsDeclaredAndNoMore) {
  QueueKind kind = kind_of<Late>();
  EXPECT_EQ(objection_in_random_histories(kind), "");
  kind.promises.max_lateness = [](Tick) -> Tick { return 6; };
  EXPECT_NE(objection_in_random_histories(kind), "");
}

TEST(Oracle, HoldsALateQueueToThePromiseOfOrder) {
  QueueKind kind = kind_of<Late>();
  kind.promises.expires_in_order = true;
  EXPECT_NE(objection_in_random_histories(kind), "");
}

TEST(Oracle, HoldsALateQueueToThePromiseOfFifo) {
  QueueKind kind = kind_of<LateQueue<ProbeTask, CoarseLevels>>();
  EXPECT_EQ(objection_in_random_histories(kind), "");
  kind.promises.fifo = true;
  EXPECT_NE(objection_in_random_histories(kind), "");
}

/// Runs timers at every eighth tick, and answers next_expiry with `kAnswer` of the exact tick.
template <Tick (*kAnswer)(Tick exact)>
struct LateAndTells : Late {
  std::optional<Tick> next_expiry() const {
    const auto exact = Late::next_expiry();
    return exact && *exact != kEndOfTime ? std::optional(kAnswer(*exact)) : exact;
  }
};

constexpr Tick a_tick_later(Tick exact) { return exact + 1; }
constexpr Tick a_tick_earlier(Tick exact) { return exact - 1; }

TEST(Oracle, SeesThatALateQueueNamesATickAfterItsNextExpiry) {
  EXPECT_EQ(
      run({insert(0, at(3)), expire(at(7)), expire(at(8))}, kind_of<LateAndTells<a_tick_later>>()),
      (Divergence{2,
                  "law:      next_expiry is never later than the tick at which the next "
                  "timer runs.\n"
                  "expected: at most 8, at which timer 0 ran\n"
                  "seen:     9"}));
}

TEST(Oracle, SeesThatALateQueueWakesASleeperForNothing) {
  EXPECT_EQ(run({insert(0, at(3)), expire(at(7))}, kind_of<LateAndTells<a_tick_earlier>>()),
            (Divergence{1,
                        "law:      next_expiry is exact, as the queue promises.\n"
                        "expected: a timer runs at 7\n"
                        "seen:     none ran"}));
}

TEST(Oracle, AllowsAnyTickUpToNowWhileTimersAreDueAndOnlyThen) {
  const History history = {insert(0, at(5)), insert(1, at(6)), expire(at(9), 1), expire(at(9))};
  EXPECT_EQ(run(history, kind_of<Right>()), std::nullopt);
  EXPECT_EQ(run(history, kind_of<VagueQueue<ProbeTask>>()), std::nullopt);
  EXPECT_EQ(run(history, kind_of<AlwaysSaysNow>()),
            (Divergence{0,
                        "law:      next_expiry is exact, as the queue promises.\n"
                        "expected: 5, as now is 0\n"
                        "seen:     0"}));
}

TEST(Oracle, GoesOnAfterAMoveOfTheQueue) {
  EXPECT_EQ(run({insert(0, after(5)), move_queue(), cancel(0), insert(1, after(5)), move_queue(),
                 expire(after(5))},
                kind_of<Right>()),
            std::nullopt);
}

TEST(TieJudge, RemembersEachDeadlineUntilItForgets) {
  TieJudge ties;
  for (std::uint64_t deadline = 0; deadline < 1000; ++deadline) {
    EXPECT_TRUE(ties.in_order(deadline, 2000 - deadline));
  }
  EXPECT_FALSE(ties.in_order(500, 1));
  EXPECT_TRUE(ties.in_order(500, 2001));
  ties.forget();
  EXPECT_TRUE(ties.in_order(500, 1));
}

}  // namespace
}  // namespace timers::conformance
