#include "impls/queues/parts/wheel.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <optional>

#include "impls/queues/hashed_wheel.hpp"
#include "impls/queues/hierarchical_wheel.hpp"
#include "impls/queues/radix_set.hpp"

namespace timers {
namespace {

/// How often a single timer is moved before it runs, when time moves tick by tick.
template <class Queue>
std::uint64_t moves_of(Tick deadline) {
  Queue queue;
  queue.insert(deadline, 0);
  int ran = 0;
  for (Tick now = 1; now <= deadline; ++now) {
    queue.expire(now, [&](Tick, int) { ++ran; });
  }
  EXPECT_EQ(ran, 1);
  return queue.moves();
}

TEST(WheelMoves, AreOfTurnsInWhichAHashedWheelRunsSomething) {
  using Queue = HashedWheel<int, 512>;
  EXPECT_EQ(moves_of<Queue>(511), 0u);
  EXPECT_EQ(moves_of<Queue>(1025), 0u);

  // The bucket is visited when its first two timers run. Both times the third timer is passed over.
  Queue queue;
  for (const Tick turn : {0u, 2u, 9u}) queue.insert(turn * 512 + 7, 0);
  for (Tick now = 1; now <= 4'000; ++now) queue.expire(now, [](Tick, int) {});
  EXPECT_EQ(queue.size(), 1u);
  EXPECT_EQ(queue.moves(), 3u);
}

TEST(WheelMoves, AreOneMoreWhenTheFirstOfABucketOfAHashedWheelIsCancelled) {
  HashedWheel<int, 512> queue;
  const auto first = queue.insert(7, 0);
  queue.insert(512 * 9 + 7, 0);
  queue.cancel(first);
  for (Tick now = 1; now <= 4'000; ++now) queue.expire(now, [](Tick, int) {});
  EXPECT_EQ(queue.moves(), 1u);
}

TEST(HashedWheel, LetsASleeperSleepThroughAllTurnsInWhichNothingIsDue) {
  HashedWheel<int, 512> queue;
  queue.insert(3 * 512 + 1, 0);
  queue.insert(512 * 1'000'000, 0);
  queue.insert(2 * 512 + 9, 0);
  for (const Tick next : {2u * 512 + 9, 3u * 512 + 1, 512u * 1'000'000}) {
    ASSERT_EQ(queue.next_expiry(), next);
    queue.expire(next, [](Tick, int) {});
  }
  EXPECT_EQ(queue.next_expiry(), std::nullopt);
}

TEST(HashedWheel, NamesTheNextVisitOfABucketWhoseTimersWereAllCancelledInAFormerTurn) {
  HashedWheel<int, 512> queue;
  queue.cancel(queue.insert(7, 0));
  queue.expire(100, [](Tick, int) {});
  queue.insert(512 * 1000 + 7, 0);
  EXPECT_EQ(queue.next_expiry(), 512u + 7);
  queue.expire(512 + 7, [](Tick, int) {});
  EXPECT_EQ(queue.next_expiry(), 512u * 1000 + 7);
}

TEST(WheelMoves, AreTheCascadesOfAHierarchicalWheel) {
  using Queue = HierarchicalWheel<int, 8>;
  EXPECT_EQ(moves_of<Queue>(255), 0u);
  EXPECT_EQ(moves_of<Queue>(300), 1u);
  EXPECT_EQ(moves_of<Queue>(65'536 + 300), 2u);
}

TEST(WheelMoves, AreAtMostOneForEachBitOfARadixSet) {
  constexpr Tick kTimers = 1024;
  RadixSet<int> queue;
  for (Tick deadline = 1; deadline <= kTimers; ++deadline) queue.insert(deadline, 0);
  for (Tick now = 1; now <= kTimers; ++now) queue.expire(now, [](Tick, int) {});
  EXPECT_EQ(queue.size(), 0u);
  EXPECT_GT(queue.moves(), kTimers);
  EXPECT_LT(queue.moves(), 10 * kTimers);
}

}  // namespace
}  // namespace timers
