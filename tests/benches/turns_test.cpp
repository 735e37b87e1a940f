#include "benches/harness/queues/turns.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <vector>

#include "benches/harness/queues/queue_contestant.hpp"
#include "benches/workloads/catalog.hpp"

namespace timers::benches {
namespace {

/// How often each measured step is timed in this way in these turns. Each turn must continue where
/// the previous one ended, and the last one must end the schedule.
std::vector<int> timed(const Schedule& schedule, const std::vector<Turn>& turns,
                       Timed kind = Timed::segments) {
  std::vector<int> times(schedule.measured_end - schedule.measured_begin);
  std::size_t position = 0;
  for (const Turn& turn : turns) {
    for (const Stretch& stretch : turn) {
      EXPECT_EQ(stretch.begin, position);
      EXPECT_LT(stretch.begin, stretch.end);
      position = stretch.end;
      if (stretch.timed != kind) continue;
      EXPECT_GE(stretch.begin, schedule.measured_begin);
      for (std::size_t step = stretch.begin; step < stretch.end; ++step) {
        ++times.at(step - schedule.measured_begin);
      }
    }
  }
  EXPECT_EQ(position, schedule.measured_end);
  return times;
}

TEST(PassInBlocks, TimesEachStepInTwoOfThreePasses) {
  const Schedule schedule = retry(100'000);
  for (const std::size_t first : {0U, 1U}) {
    std::vector<int> times(schedule.measured_end - schedule.measured_begin);
    for (std::size_t pass = first; pass < first + 3; ++pass) {
      const std::vector<int> in_pass = timed(schedule, pass_in_blocks(schedule, pass));
      for (std::size_t step = 0; step < times.size(); ++step) times[step] += in_pass[step];
    }
    EXPECT_THAT(times, testing::Each(2));
  }
}

TEST(PassInBlocks, BringsTheCacheBackBeforeASegmentIsTimed) {
  const Schedule schedule = retry(100'000);
  for (const std::size_t pass : {0U, 1U, 2U}) {
    for (const Turn& turn : pass_in_blocks(schedule, pass)) {
      const auto first = std::find_if(turn.begin(), turn.end(), [](const Stretch& stretch) {
        return stretch.timed == Timed::segments;
      });
      if (first == turn.end()) continue;
      EXPECT_GE(first->begin - turn.front().begin, schedule.slots);
    }
  }
}

TEST(PassInBlocks, TimesCallsInHalfOfTheStepsThatBringTheCacheBack) {
  const Schedule schedule = retry(100'000);
  const std::vector<int> of_calls = timed(schedule, pass_in_blocks(schedule, 0), Timed::calls);
  const std::vector<int> of_segments = timed(schedule, pass_in_blocks(schedule, 0));
  std::ptrdiff_t both = 0;
  for (std::size_t step = 0; step < of_calls.size(); ++step)
    both += of_calls[step] * of_segments[step];
  EXPECT_EQ(both, 0);
  const auto untimed = std::count(of_segments.begin(), of_segments.end(), 0);
  const auto calls = std::count(of_calls.begin(), of_calls.end(), 1);
  EXPECT_NEAR(static_cast<double>(calls), static_cast<double>(untimed) / 2, 64);
  const std::vector<int> of_long_calls =
      timed(schedule, pass_in_blocks(schedule, 0), Timed::long_calls);
  for (std::size_t step = 0; step < of_calls.size(); ++step) {
    ASSERT_EQ(of_calls[step] + of_segments[step] + of_long_calls[step], 1);
  }
}

TEST(PassInBlocks, HasWholeSegments) {
  const Schedule schedule = retry(100'000);
  for (const Turn& turn : pass_in_blocks(schedule, 0)) {
    for (const Stretch& stretch : turn) {
      if (stretch.timed != Timed::segments) continue;
      EXPECT_EQ((stretch.begin - schedule.measured_begin) % kStepsOfASegment, 0u);
    }
  }
}

TEST(WholePass, TimesEverySchedule) {
  const Input input({insert_warm(1'000, 1), insert_warm(1'000, 2)});
  const Turn turn = whole_pass(input, Timed::segments);
  ASSERT_EQ(turn.size(), 6u);
  for (const std::size_t untimed : {0u, 1u}) {  // this one brings the code back
    EXPECT_EQ(turn[untimed].schedule, 1u);
    EXPECT_EQ(turn[untimed].timed, Timed::nothing);
  }
  for (const std::size_t number : {0u, 1u}) {
    const Schedule& schedule = input.schedules[number];
    const std::vector<Turn> of_schedule = {{turn[2 + 2 * number], turn[3 + 2 * number]}};
    for (const int times : timed(schedule, of_schedule)) EXPECT_EQ(times, 1);
  }
}

TEST(WholePass, HasNoStretchOfBothKindsOfSteps) {
  const Input input({insert_warm(1'000, 1), insert_warm(1'000, 2)});
  for (const Stretch& stretch : whole_pass(input, Timed::calls)) {
    const std::size_t begin = input.schedules[stretch.schedule].measured_begin;
    EXPECT_TRUE(stretch.end <= begin || stretch.begin >= begin);
  }
}

TEST(WholePass, HasNoUntimedScheduleWhereTheSetUpIsLong) {
  const Input input({cancel_random(100'000)});
  EXPECT_EQ(whole_pass(input, Timed::segments).size(), 2u);
}

// Otherwise the steps that bring the cache back would have to touch all timers.
TEST(Turns, AreWholePassesUpToAHundredThousandTimers) {
  for_each_workload([](const Workload& workload) {
    EXPECT_FALSE(has_blocks(workload.make(100'000, 1), kStepsWithoutABreak)) << workload.name;
  });
}

TEST(Turns, AreManyWhereAPassIsLong) {
  EXPECT_EQ(most_turns(Input({rpc(1'000)})), 1u);
  EXPECT_GT(most_turns(Input({retry(300'000)}, 1'000'000)), 2u);
}

TEST(Turns, TimeSegmentsAndCallsInPassesOfTheirOwn) {
  std::vector<bool> of_calls;
  for (std::size_t pass = 0; pass < 8; ++pass) of_calls.push_back(timed_in(pass) == Timed::calls);
  EXPECT_EQ(of_calls, (std::vector{false, true, false, true, false, true, false, false}));
}

TEST(SchedulesBySeed, AreSoManyThatAPredictorOfBranchesLearnsNone) {
  std::vector<std::uint64_t> seeds;
  const auto schedules = schedules_by_seed([&](std::uint64_t seed) {
    seeds.push_back(seed);
    return insert_warm(1'000, seed);
  });
  std::size_t steps = 0;
  for (const Schedule& schedule : schedules) steps += schedule.steps.size();
  EXPECT_GE(steps, std::size_t{1} << 15);
  EXPECT_EQ(seeds.size(), schedules.size());
  EXPECT_NE(seeds.at(0), seeds.at(1));
  EXPECT_EQ(schedules_by_seed([](std::uint64_t seed) { return rpc(1'000, seed); }).size(), 1u);
}

}  // namespace
}  // namespace timers::benches
