#include "benches/workload.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "benches/prediction.hpp"
#include "benches/proof.hpp"
#include "benches/random.hpp"
#include "benches/replay.hpp"
#include "impls/catalog.hpp"

namespace timers::benches {
namespace {

TEST(Random, IsTheSameEverywhere) {
  Random random(1);
  EXPECT_EQ(random.next(), 0x910a2dec89025cc1u);
  EXPECT_EQ(random.uniform(), 0x1.7dd71b42cb1ddp-1);
  EXPECT_EQ(random.exponential(1), 0x1.e21d7bedcd61p-6);
  EXPECT_EQ(random.log_normal(20, 1.6288), 0x1.c025c65099fa6p-1);
}

TEST(Random, HasTheQuartilesOfALogNormalDistribution) {
  Random random(2);
  constexpr int kDraws = 100'000;
  int below_median = 0;
  int below_upper_quartile = 0;
  for (int i = 0; i < kDraws; ++i) {
    const double drawn = random.log_normal(20, 1.6288);
    below_median += drawn < 20;
    below_upper_quartile += drawn < 60;
  }
  EXPECT_NEAR(below_median, 0.5 * kDraws, 800);
  EXPECT_NEAR(below_upper_quartile, 0.75 * kDraws, 800);
}

TEST(Random, HasTheMeanOfAnExponentialDistribution) {
  Random random(3);
  double sum = 0;
  for (int i = 0; i < 100'000; ++i) sum += random.exponential(5);
  EXPECT_NEAR(sum / 100'000, 5, 0.1);
}

/// What a schedule does to the number of pending timers, and how its measured timers end.
struct Course {
  double pending_at_begin = 0;
  double mean_pending = 0;
  std::size_t inserts = 0;
  std::size_t cancels = 0;
};

Course course_of(const Schedule& schedule) {
  Course course;
  OrderedMap<Task> queue;
  std::vector<OrderedMap<Task>::Handle> handles(schedule.slots);
  std::size_t calls = 0;
  for (std::size_t i = 0; i < schedule.measured_end; ++i) {
    const Step& step = schedule.steps[i];
    const bool measured = i >= schedule.measured_begin;
    if (i == schedule.measured_begin) course.pending_at_begin = static_cast<double>(queue.size());
    switch (step.verb) {
      case Step::Verb::expire:
        queue.expire(step.tick, [](Tick, Task) {});
        if (measured) {
          course.mean_pending += static_cast<double>(queue.size());
          ++calls;
        }
        break;
      case Step::Verb::insert:
        handles[step.slot] = queue.insert(step.tick, step.line);
        course.inserts += measured;
        break;
      case Step::Verb::cancel:
        EXPECT_TRUE(queue.cancel(handles[step.slot]));
        course.cancels += measured;
        break;
      case Step::Verb::rearm:
        ADD_FAILURE() << "a call is never re-armed";
    }
  }
  course.mean_pending /= static_cast<double>(calls);
  return course;
}

TEST(Rpc, KeepsAsManyTimersPendingAsItIsAskedFor) {
  for (const std::size_t n : {1'000u, 30'000u}) {
    const Course course = course_of(rpc(n));
    EXPECT_NEAR(course.mean_pending / static_cast<double>(n), 1, 0.02) << n;
    EXPECT_NEAR(course.pending_at_begin / static_cast<double>(n), 1, 0.1) << n;
  }
}

TEST(Rpc, CancelsNinetyNineTimersOfAHundred) {
  const Schedule schedule = rpc(1'000);
  const Course course = course_of(schedule);
  EXPECT_EQ(course.inserts, schedule.operations);
  const double share = static_cast<double>(course.cancels) / static_cast<double>(course.inserts);
  EXPECT_NEAR(share, 0.992, 0.001);
}

TEST(Rpc, MovesTimeTickByTick) {
  const Schedule schedule = rpc(1'000);
  Tick now = 0;
  for (std::size_t i = 0; i < schedule.measured_end; ++i) {
    if (schedule.steps[i].verb == Step::Verb::expire) {
      ASSERT_EQ(schedule.steps[i].tick, ++now);
    }
  }
  EXPECT_GT(now, 13'000u);
}

TEST(Rpc, IsTheSameEverywhere) {
  std::uint64_t checksum = 0;
  for (const Step& step : rpc(1'000).steps) {
    checksum = mix(checksum + step.tick, step.line, step.slot) + static_cast<unsigned>(step.verb);
  }
  EXPECT_EQ(checksum, 10735025479281681031u);
}

TEST(Workloads, ShowOnEveryQueueWhatIsPredicted) {
  for (const Workload& workload : kWorkloads) {
    const Schedule schedule = workload.make(1'000);
    const Proof expected = predict(schedule);
    for_each_type(TimerQueues<Task>{}, [&]<class Queue>() {
      EXPECT_EQ(difference(prove<Queue>(schedule), expected, promises_of<Queue>()), "")
          << Queue::name << " on " << workload.name;
    });
  }
}

}  // namespace
}  // namespace timers::benches
