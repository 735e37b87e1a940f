#include "benches/queues/measured/ordered_list.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>

#include "benches/harness/queues/playback.hpp"
#include "benches/harness/queues/proof.hpp"
#include "benches/workloads/hold.hpp"
#include "benches/workloads/schedule.hpp"

namespace timers::benches {
namespace {

constexpr std::size_t kTimers = 1'000;

/// How many of the waiting timers an insert passes on average, as a share of all.
double passed_by_an_insert(const Schedule& schedule) {
  Playback<OrderedList<Task>> playback(schedule);
  Prover prover;
  playback.run_until(schedule.measured_begin, prover);
  const std::size_t before = playback.queue().passed();
  playback.run_until(schedule.measured_end, prover);
  const auto begin = schedule.steps.begin();
  const auto inserts =
      std::count_if(begin + static_cast<std::ptrdiff_t>(schedule.measured_begin),
                    begin + static_cast<std::ptrdiff_t>(schedule.measured_end),
                    [](const Step& step) { return step.verb() == Step::Verb::insert; });
  return static_cast<double>(playback.queue().passed() - before) / static_cast<double>(inserts) /
         static_cast<double>(kTimers);
}

TEST(OrderedList, PassesHalfOfTheTimersIfDelaysAreExponential) {
  EXPECT_NEAR(passed_by_an_insert(hold_exponential(kTimers)), 1.0 / 2, 0.02);
}

TEST(OrderedList, PassesAThirdOfTheTimersIfDelaysAreUniform) {
  EXPECT_NEAR(passed_by_an_insert(hold_uniform(kTimers)), 1.0 / 3, 0.02);
}

TEST(OrderedList, PassesNoneOfTheSameDeadline) {
  OrderedList<int> list;
  for (int task = 0; task < 10; ++task) list.insert(7, task);
  EXPECT_EQ(list.passed(), 0u);
  list.insert(6, 10);
  EXPECT_EQ(list.passed(), 10u);
}

}  // namespace
}  // namespace timers::benches
