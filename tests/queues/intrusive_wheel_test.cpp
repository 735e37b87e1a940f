/// Compares the intrusive wheel with staying timers of a lazy wheel. The kit cannot test it, as it
/// has no handles.

#include "impls/peers/intrusive_wheel.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "impls/queues/lazy_wheel.hpp"
#include "tests/conformance/random.hpp"
#include "tests/conformance/sanitizers.hpp"

namespace timers {
namespace {

using conformance::Random;
using Task = std::uint64_t;

constexpr std::size_t kTimers = 500;

/// A queue with a number of timers. The task of each is its number.
template <class Queue>
class Armed {
 public:
  Armed() {
    timers_.reserve(kTimers);
    for (Task task = 0; task < kTimers; ++task) timers_.push_back(queue_.make(task));
  }

  bool arm(Task task, Tick deadline) { return queue_.arm(timers_[task], deadline); }
  bool disarm(Task task) { return queue_.disarm(timers_[task]); }
  std::size_t size() const { return queue_.size(); }
  std::optional<Tick> next_expiry() { return queue_.next_expiry(); }

  /// Runs the due timers. Returns what ran as (deadline, task), equal deadlines sorted by task. One
  /// timer in seven arms itself again.
  std::vector<std::pair<Tick, Task>> expire(Tick now) {
    std::vector<std::pair<Tick, Task>> ran;
    const std::size_t count = queue_.expire(now, [&](Tick deadline, Task& task) {
      EXPECT_TRUE(ran.empty() || ran.back().first <= deadline);
      ran.emplace_back(deadline, task);
      if (task % 7 == 0) arm(task, now + task);
    });
    EXPECT_EQ(count, ran.size());
    std::sort(ran.begin(), ran.end());
    return ran;
  }

 private:
  Queue queue_;
  std::vector<typename Queue::Timer> timers_;
};

/// A near or a far deadline, one in the past, or one that many timers share.
Tick some_deadline(Random& random, Tick now) {
  switch (random.below(8)) {
    case 0:
      return now + random.up_to_bits(62);
    case 1:
      return now - std::min(now, random.up_to_bits(8));
    case 2:
    case 3:
      return (now & ~Tick{63}) + 64;
    default:
      return now + random.up_to_bits(20);
  }
}

TEST(IntrusiveWheel, DoesWhatTheTimersOfALazyWheelDoThatStay) {
  constexpr int kSteps = conformance::share_of(300'000);
  Armed<IntrusiveWheel<Task>> wheel;
  Armed<LazyWheel<Task>> lazy_wheel;
  Random random(7);
  Tick now = 0;
  std::size_t ran = 0;
  std::size_t disarmed = 0;
  for (int step = 0; step < kSteps; ++step) {
    const Task task = random.below(kTimers);
    const std::uint64_t verb = random.below(10);
    if (verb < 5) {
      const Tick deadline = some_deadline(random, now);
      ASSERT_EQ(wheel.arm(task, deadline), lazy_wheel.arm(task, deadline)) << "step " << step;
    } else if (verb < 7) {
      const bool was_pending = lazy_wheel.disarm(task);
      ASSERT_EQ(wheel.disarm(task), was_pending) << "step " << step;
      disarmed += was_pending;
    } else {
      now += random.up_to_bits(random.one_in(500) ? 44 : 8);
      const auto right = lazy_wheel.expire(now);
      ASSERT_EQ(wheel.expire(now), right) << "step " << step;
      ran += right.size();
    }
    ASSERT_EQ(wheel.size(), lazy_wheel.size()) << "step " << step;
  }
  EXPECT_GT(ran, kSteps / 30u);
  EXPECT_GT(disarmed, kSteps / 30u);
  const auto rest = lazy_wheel.expire(kEndOfTime);
  EXPECT_GT(rest.size(), 10u);
  EXPECT_EQ(wheel.expire(kEndOfTime), rest);
  EXPECT_EQ(wheel.size(), lazy_wheel.size());
}

TEST(IntrusiveWheel, NamesNoTickThatIsTooLate) {
  Armed<IntrusiveWheel<Task>> wheel;
  EXPECT_EQ(wheel.next_expiry(), std::nullopt);
  Random random(8);
  Tick now = 0;
  std::size_t ran = 0;
  for (int round = 0; round < 10'000; ++round) {
    const Task task = random.below(kTimers);
    wheel.arm(task, some_deadline(random, now));
    if (random.one_in(4)) wheel.disarm(random.below(kTimers));
    if (wheel.size() == 0) continue;
    const std::optional<Tick> next = wheel.next_expiry();
    ASSERT_TRUE(next && *next > now) << "round " << round;
    ASSERT_TRUE(wheel.expire(*next - 1).empty()) << "round " << round;
    now = *next;
    ran += wheel.expire(now).size();
  }
  EXPECT_GT(ran, 100u);
}

TEST(IntrusiveWheel, NeverRunsATimerThatIsArmedAtTheEndOfTime) {
  Armed<IntrusiveWheel<Task>> wheel;
  wheel.arm(1, kEndOfTime);
  EXPECT_EQ(wheel.expire(kEndOfTime).size(), 1u);
  EXPECT_FALSE(wheel.arm(1, 5));
  EXPECT_TRUE(wheel.expire(kEndOfTime).empty());
  EXPECT_TRUE(wheel.disarm(1));
  EXPECT_EQ(wheel.size(), 0u);
}

}  // namespace
}  // namespace timers
