/// How much of its work the yielding wheel does in one call. The kit cannot see this.

#include "impls/queues/yielding_wheel.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "tests/conformance/random.hpp"

namespace timers {
namespace {

using Queue = YieldingWheel<int>;

constexpr Tick kSlots = 1 << 14;
constexpr Tick kSlot = kSlots / 2;              // of the later wheel
constexpr Tick kHalfTurn = kSlots / 2 * kSlot;  // of the later wheel

/// The most moves in one call, while time moves tick by tick until `end`.
std::uint64_t most_moves_until(Tick end, Tick now, Queue& queue) {
  std::uint64_t most = 0;
  while (now < end) {
    const std::uint64_t before = queue.moves();
    queue.expire(++now, [](Tick, int) {});
    most = std::max(most, queue.moves() - before);
  }
  return most;
}

TEST(YieldingWheel, SpreadsAFullSlotOverTheTimeOfTheSlotBefore) {
  constexpr std::size_t kTimers = 100'000;
  Queue queue;
  for (std::size_t i = 0; i < kTimers; ++i) queue.insert(3 * kSlot + i % kSlot, 0);
  EXPECT_EQ(most_moves_until(2 * kSlot - 1, 0, queue), 0u);
  // At first a call does 1 / 8192 of the work, later its share of what is left of the time.
  const std::uint64_t most = most_moves_until(3 * kSlot - 1, 2 * kSlot - 1, queue);
  EXPECT_GT(most, kTimers / kSlot);
  EXPECT_LT(most, 3 * kTimers / kSlot + 2);
  EXPECT_EQ(queue.moves(), kTimers);
  EXPECT_EQ(queue.size(), kTimers);
  EXPECT_EQ(most_moves_until(4 * kSlot, 3 * kSlot - 1, queue), 0u);
  EXPECT_EQ(queue.size(), 0u);
}

TEST(YieldingWheel, MovesOneTimerAfterTheOtherIfTheyAreFew) {
  Queue queue;
  for (int i = 0; i < 100; ++i) queue.insert(3 * kSlot + 5, 0);
  EXPECT_EQ(most_moves_until(3 * kSlot, 0, queue), 1u);
  EXPECT_EQ(queue.moves(), 100u);
}

TEST(YieldingWheel, MovesALongTimerOnce) {
  Queue queue;
  queue.insert(kHalfTurn, 0);
  queue.insert(kHalfTurn - 1, 0);
  for (Tick now = kSlot; now <= kHalfTurn; now += kSlot) queue.expire(now, [](Tick, int) {});
  EXPECT_EQ(queue.size(), 0u);
  EXPECT_LE(queue.moves(), 2u);
}

TEST(YieldingWheel, SiftsWhatIsBeyondBothWheelsBitByBit) {
  constexpr int kTimers = 5'000;
  Queue queue;
  for (int i = 0; i < kTimers; ++i) queue.insert(100 * kHalfTurn + static_cast<Tick>(i), 0);
  // The first half turn of the later wheel is free when time has gone through it.
  Tick now = kHalfTurn - 2 * kSlot;
  queue.expire(now, [](Tick, int) {});
  EXPECT_EQ(queue.moves(), 0u);
  EXPECT_EQ(most_moves_until(now + 3 * kSlot, now, queue), 1u);
  EXPECT_EQ(queue.moves(), static_cast<std::uint64_t>(kTimers));
}

// Half of a slot has moved. New timers of its deadlines must queue behind the old ones.
TEST(YieldingWheel, KeepsTheOrderOfEqualDeadlinesWhileASlotMoves) {
  constexpr Tick kDeadline = 2 * kSlot + 77;
  Queue queue;
  int number = 0;
  for (int i = 0; i < 100; ++i) queue.insert(kDeadline, number++);
  for (Tick now = kSlot - 1; now < kSlot + 200; ++now) {
    queue.expire(now, [](Tick, int) {});
    queue.insert(kDeadline, number++);
  }
  int next = 0;
  queue.expire(kDeadline, [&](Tick, int task) { EXPECT_EQ(task, next++); });
  EXPECT_EQ(next, number);
}

}  // namespace
}  // namespace timers
