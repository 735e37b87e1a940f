#pragma once

/// What a case does with its queues: schedules, and what every correct queue shows on each.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "benches/harness/queues/prediction.hpp"
#include "benches/harness/queues/proof.hpp"
#include "benches/workloads/schedule.hpp"

namespace timers::benches {

/// A queue goes through a schedule of up to so many steps without a break.
inline constexpr std::size_t kStepsWithoutABreak = std::size_t{1} << 22;

struct Input {
  explicit Input(std::vector<Schedule> of_schedules,
                 std::size_t without_a_break = kStepsWithoutABreak)
      : schedules(std::move(of_schedules)), steps_without_a_break(without_a_break) {
    for (const Schedule& schedule : schedules) expected.push_back(predict(schedule));
  }

  std::vector<Schedule> schedules;
  std::size_t steps_without_a_break;
  std::vector<Proof> expected;  // for each schedule
};

/// An input that is made when a benchmark first asks for it. So a process that measures one of many
/// inputs does not wait for the others.
class LazyInput {
 public:
  explicit LazyInput(std::function<std::vector<Schedule>()> make) : make_(std::move(make)) {}

  const Input& get() {
    if (!input_) input_.emplace(make_());
    return *input_;
  }

 private:
  std::function<std::vector<Schedule>()> make_;
  std::optional<Input> input_;
};

/// A branch predictor learns a short input by heart, and no real program has such an input. So a
/// short schedule is made from several seeds, until all schedules together have this many steps.
inline constexpr std::size_t kLeastSteps = std::size_t{1} << 15;

inline std::vector<Schedule> schedules_by_seed(
    const std::function<Schedule(std::uint64_t seed)>& make) {
  std::vector<Schedule> schedules;
  for (std::size_t steps = 0; steps < kLeastSteps; steps += schedules.back().steps.size()) {
    schedules.push_back(make(1 + 1'000 * schedules.size()));
  }
  return schedules;
}

}  // namespace timers::benches
