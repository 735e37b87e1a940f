/// The wake-ups and the memory of a queue under a load are counted, and a wrong queue is rejected.

#include "benches/harness/queues/load_use.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>

#include "benches/workloads/schedule.hpp"
#include "impls/catalog.hpp"
#include "tests/benches/proving_queues.hpp"
#include "tests/queues/weak_queues.hpp"

namespace timers::benches {
namespace {

using testing::HasSubstr;

constexpr std::chrono::hours kLong{1};

template <class Queue>
LoadUse use_of(const Schedule& schedule) {
  return LoadUser<Queue>(schedule).use(kLong);
}

/// Ten timers, one due every 10 ticks. Another event is in tick 95. The timers of the first half
/// are not measured.
Schedule ten_timers() {
  ScheduleBuilder builder;
  for (std::uint32_t i = 0; i < 10; ++i) builder.insert(i, 10 * (i + 1), i + 1);
  builder.move_time(55);
  builder.begin_measurement();
  builder.insert(10, 1'000, 11);
  builder.move_time(105);
  builder.cancel(10, 12);
  return std::move(builder).finish(Operation::verb);
}

TEST(LoadUse, CountsTheWakesOfOneWhoSleepsUntilTheNextExpiry) {
  const LoadUse use = use_of<MinHeap<Task>>(ten_timers());
  EXPECT_EQ(use.wakes, 5);
  EXPECT_EQ(use.wakes_in_vain, 0);
  EXPECT_EQ(use.share, 1);
  EXPECT_EQ(use.most_pending, 10);
}

TEST(LoadUse, TellsWakesInVainFromOthers) {
  // With levels of 256 buckets, next_expiry names the first tick of a bucket of a higher level.
  ScheduleBuilder builder;
  builder.move_time(1);
  builder.begin_measurement();
  builder.insert(0, 256 * 5 + 7, 1);
  builder.move_time(256 * 6);
  const LoadUse use = use_of<HierarchicalWheel<Task>>(std::move(builder).finish(Operation::verb));
  EXPECT_EQ(use.wakes, 2);
  EXPECT_EQ(use.wakes_in_vain, 1);
}

TEST(LoadUse, OfAQueueThatCannotNameItsNextExpiryHasNoWakes) {
  EXPECT_EQ(use_of<PlainQueue<Task>>(ten_timers()).wakes, std::nullopt);
}

TEST(LoadUse, CountsWhatIsHeldWhileItIsMeasured) {
  ScheduleBuilder builder;
  constexpr std::uint32_t kTimers = 1'000;
  for (std::uint32_t i = 0; i < kTimers; ++i) builder.insert(i, 1'000, i + 1);
  builder.move_time(10);
  builder.begin_measurement();
  builder.insert(kTimers, 1'000, kTimers + 1);
  const LoadUse use = use_of<OrderedMap<Task>>(std::move(builder).finish(Operation::verb));
  EXPECT_GT(use.bytes, kTimers * 48);
  EXPECT_LT(use.bytes, kTimers * 200);
  EXPECT_GE(use.peak_bytes, use.bytes);
}

TEST(LoadUse, OfAQueueOfEachShapeIsProved) {
  for_each_type(ProvingQueues<Task>{}, [&]<class Queue>() {
    const LoadUse use = use_of<Queue>(ten_timers());
    EXPECT_EQ(use.share, 1) << Queue::name;
    EXPECT_GT(use.bytes, 0) << Queue::name;
  });
}

TEST(LoadUse, WithoutTimeIsAShare) {
  ScheduleBuilder builder;
  for (std::uint32_t i = 0; i < 1'000; ++i) {
    builder.move_time(i + 1);
    builder.insert(i, 5'000, i + 1);
  }
  const Schedule schedule = std::move(builder).finish(Operation::verb);
  const LoadUse use = LoadUser<MinHeap<Task>>(schedule).use(std::chrono::seconds(0));
  EXPECT_GT(use.share, 0);
  EXPECT_LT(use.share, 0.5);
}

/// Loses the timer of one insert.
class Loses : public OrderedMap<Task> {
 public:
  Handle insert(Tick deadline, Task task) {
    return task == 3 ? Handle() : OrderedMap<Task>::insert(deadline, task);
  }
};

TEST(LoadUse, OfAQueueThatLosesATimerIsAnError) {
  EXPECT_THAT([] { use_of<Loses>(ten_timers()); },
              testing::ThrowsMessage<std::runtime_error>(HasSubstr("10 timers ran")));
}

/// Its next_expiry never changes.
class Stands : public OrderedMap<Task> {
 public:
  std::optional<Tick> next_expiry() const {
    return size() == 0 ? std::nullopt : std::optional(Tick{5});
  }
};

TEST(LoadUse, OfAQueueThatNamesTheSameTickAgainIsAnErrorAndNoHang) {
  EXPECT_THAT([] { use_of<Stands>(ten_timers()); },
              testing::ThrowsMessage<std::runtime_error>(HasSubstr("again after")));
}

}  // namespace
}  // namespace timers::benches
