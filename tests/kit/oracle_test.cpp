/// The oracle finds what is wrong with a queue, and nothing wrong with one that keeps its promises.

#include "tests/conformance/queues/oracle.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <string>

#include "impls/queues/min_heap.hpp"
#include "tests/conformance/queues/history.hpp"
#include "tests/conformance/queues/random_history.hpp"
#include "tests/kit/wrong_queues.hpp"

namespace timers::conformance {
namespace {

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
  EXPECT_EQ(oracle.objection(), "next_expiry is 65 at 0, where the earliest of 1 timers has 64");
}

TEST(Oracle, SeesAWrongSize) {
  Oracle oracle(kind_of<CountsToThree>());
  for (int i = 0; i < 4; ++i) oracle.insert(1);
  EXPECT_EQ(oracle.objection(), "size is 3 instead of 4");
}

TEST(Oracle, SeesThatAnExceptionIsSwallowed) {
  EXPECT_EQ(run({insert(0, after(1), {throws()}), expire(after(1))}, kind_of<SwallowsExceptions>()),
            (Divergence{1, "expire swallowed the exception of a callback"}));
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
  EXPECT_EQ(divergence, (Divergence{2, "2 tasks were never destroyed"}));
}

TEST(Oracle, HoldsAQueueToThePromiseOfOrder) {
  QueueKind kind = kind_of<MinHeap<ProbeTask, HeapTies>>();
  EXPECT_EQ(objection_in_random_histories(kind), "");
  kind.promises.fifo = true;
  EXPECT_NE(objection_in_random_histories(kind), "");
}

TEST(Oracle, AllowsTheLatenessThatIsDeclaredAndNoMore) {
  QueueKind kind = kind_of<RoundsUp>();
  EXPECT_EQ(objection_in_random_histories(kind), "");
  kind.promises.max_lateness = [](Tick) -> Tick { return 6; };
  EXPECT_NE(objection_in_random_histories(kind), "");
}

TEST(Oracle, HoldsALateQueueToThePromiseOfOrder) {
  QueueKind kind = kind_of<RoundsUp>();
  kind.promises.expires_in_order = true;
  EXPECT_NE(objection_in_random_histories(kind), "");
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
