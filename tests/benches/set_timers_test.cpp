#include "benches/harness/queues/set_timers.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "benches/workloads/schedule.hpp"
#include "impls/queues/lazy_wheel.hpp"

namespace timers::benches {
namespace {

/// Notes in which cell each timer is that is armed.
struct Noting : LazyWheel<Task> {
  bool arm(const Timer& timer, Tick deadline) {
    cells.push_back(&task(timer));
    return LazyWheel<Task>::arm(timer, deadline);
  }
  std::vector<const Task*> cells;
};

TEST(TimersThatStay, AreInAnotherOrderThanTheirOwners) {
  constexpr std::uint32_t kTimers = 1'000;
  Noting queue;
  TimersThatStay<Noting> timers(queue, kTimers);
  for (std::uint32_t slot = 0; slot < kTimers; ++slot) {
    timers.insert(queue, Step(Step::Verb::insert, slot, 10, slot));
  }
  std::vector<const Task*> sorted = queue.cells;
  std::sort(sorted.begin(), sorted.end(), std::less<>());
  std::size_t neighbours = 0;  // in memory, and in the order of their owners
  for (std::size_t i = 1; i < kTimers; ++i) {
    const auto place = std::lower_bound(sorted.begin(), sorted.end(), queue.cells[i - 1]);
    neighbours += place + 1 != sorted.end() && place[1] == queue.cells[i];
  }
  EXPECT_EQ(std::unique(sorted.begin(), sorted.end()), sorted.end());
  EXPECT_LT(neighbours, kTimers / 20);
}

}  // namespace
}  // namespace timers::benches
