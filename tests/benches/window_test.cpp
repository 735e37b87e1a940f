#include "benches/harness/queues/window.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <utility>

#include "benches/workloads/catalog.hpp"

namespace timers::benches {
namespace {

/// Makes this number of inserts in each tick, after steps that are not measured.
Schedule inserts_in_each_tick(Tick ticks, int inserts) {
  ScheduleBuilder builder;
  std::uint32_t line = 0;
  builder.move_time(1'000);
  builder.begin_measurement();
  for (Tick tick = 1'001; tick <= 1'000 + ticks; ++tick) {
    builder.move_time(tick);
    for (int i = 0; i < inserts; ++i) builder.insert(0, tick + 10, ++line);
  }
  return std::move(builder).finish(Operation::verb);
}

Schedule cut(Schedule schedule, std::size_t most) {
  cut_to_window(schedule, most);
  return schedule;
}

Tick first_tick(const Schedule& schedule) { return schedule.steps[schedule.measured_begin].tick; }

TEST(Window, HasAsManyWholeTurnsAsFit) {
  const Schedule whole = inserts_in_each_tick(10 * kTurn, 1);
  for (const std::size_t turns : {1u, 2u, 5u}) {
    for (const std::size_t more : {0u, 1u, 511u}) {
      const Schedule window = cut(whole, turns * 512 + more);
      EXPECT_EQ(window.measured_end - window.measured_begin, turns * 512);
      EXPECT_EQ(window.steps[window.measured_end].tick - first_tick(window), turns * kTurn);
    }
  }
}

TEST(Window, LiesInTheMiddle) {
  const Schedule window = cut(inserts_in_each_tick(10 * kTurn, 1), 512);
  EXPECT_NEAR(static_cast<double>(first_tick(window)), 1'000 + 4.5 * kTurn, 2);
}

TEST(Window, HasOneTurnIfNoneFits) {
  const Schedule window = cut(inserts_in_each_tick(3 * kTurn, 9), 100);
  EXPECT_EQ(window.measured_end - window.measured_begin, 10 * kTurn);
}

TEST(Window, EndsTurnsAlsoWhereNoStepIsAtTheirEnd) {
  ScheduleBuilder builder;
  for (Tick tick = 100; tick <= 100'000; tick += 100) builder.move_time(tick);
  const Schedule window = cut(std::move(builder).finish(Operation::call), 10);
  // Ticks 300, 600, 800 and 1100 after the first one are each the first in another turn.
  EXPECT_EQ(window.measured_end - window.measured_begin, 8u);
}

TEST(Window, OfAShortScheduleIsAllThatIsMeasured) {
  const Schedule whole = inserts_in_each_tick(10 * kTurn, 1);
  const std::size_t measured = whole.measured_end - whole.measured_begin;
  EXPECT_EQ(cut(whole, measured).measured_begin, whole.measured_begin);
  EXPECT_EQ(cut(whole, measured).measured_end, whole.measured_end);
  EXPECT_GT(cut(whole, measured / 2).measured_begin, whole.measured_begin);
}

TEST(Window, OfStepsWithinATurnIsAllThatIsMeasured) {
  const Schedule whole = inserts_in_each_tick(kTurn - 1, 9);
  EXPECT_EQ(cut(whole, 100).measured_begin, whole.measured_begin);
  EXPECT_EQ(cut(whole, 100).measured_end, whole.measured_end);
}

TEST(Window, OfStepsThatDoNotMoveTimeIsTheMiddle) {
  const Schedule window = cut(insert_growing(1'000, 1), 100);
  EXPECT_EQ(window.measured_begin, 450u);
  EXPECT_EQ(window.measured_end, 550u);
}

TEST(Window, IsWarmedByTwoStepsForEachTimerAtLeast) {
  Schedule schedule = insert_growing(100'000, 1);
  EXPECT_EQ(warm_begin_of(schedule), 0u);
  schedule.measured_begin = 50'000;
  schedule.slots = 1'000;
  EXPECT_EQ(warm_begin_of(schedule), 30'000u);
  schedule.slots = 15'000;
  EXPECT_EQ(warm_begin_of(schedule), 20'000u);
}

}  // namespace
}  // namespace timers::benches
