/// What only a calendar queue does: it moves its timers to another number of days.

#include "impls/queues/calendar_queue.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <ctime>
#include <random>

namespace timers {
namespace {

TEST(CalendarQueue, DealsManyTimersToOneDayQuickly) {
  constexpr std::size_t kTimers = 131'072;  // one timer more doubles the number of days
  constexpr Tick kCluster = 1'000'000'000'000;
  constexpr Tick kGap = 1'000'000'000;
  std::mt19937_64 random(1);
  CalendarQueue<int> queue;
  const std::clock_t began = std::clock();
  for (std::size_t i = 0; i < kTimers - 30; ++i) queue.insert(kCluster + random() % 1'000'000, 0);
  // The next deadlines are far apart, so a day becomes long.
  for (Tick i = 1; i <= 31; ++i) queue.insert(i * kGap, 0);
  Tick last = 0;
  const std::size_t ran = queue.expire(2 * kCluster, [&](Tick deadline, int) {
    EXPECT_GE(deadline, last);
    last = deadline;
  });
  EXPECT_EQ(ran, kTimers + 1);
  EXPECT_LT(std::clock() - began, 10 * CLOCKS_PER_SEC) << "of processor time";
}

}  // namespace
}  // namespace timers
