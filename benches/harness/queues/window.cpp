#include "benches/harness/queues/window.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>

namespace timers::benches {

namespace {

/// The next step, from `step` on, that moves time; `end` if there is none before it.
std::size_t next_expire(const Schedule& schedule, std::size_t step, std::size_t end) {
  while (step != end && schedule.steps[step].verb() != Step::Verb::expire) ++step;
  return step;
}

/// The end of the last turn that fits into `most` steps from `begin` on; `begin` moves time. If
/// none fits, the end of the first turn. Nothing if no turn ends before `end`.
std::optional<std::size_t> end_of_turns(const Schedule& schedule, std::size_t begin,
                                        std::size_t end, std::size_t most) {
  const Tick first = schedule.steps[begin].tick;
  std::optional<std::size_t> found;
  Tick turns = 0;
  for (std::size_t step = begin; step != end; step = next_expire(schedule, step + 1, end)) {
    const Tick turns_before = (schedule.steps[step].tick - first) / kTurn;
    if (turns_before == turns) continue;
    turns = turns_before;
    if (found && step - begin > most) break;
    found = step;
  }
  return found;
}

}  // namespace

void cut_to_window(Schedule& schedule, std::size_t most) {
  const std::size_t begin = schedule.measured_begin;
  const std::size_t end = schedule.measured_end;
  if (end - begin <= most) return;
  const std::size_t middle = begin + (end - begin - most) / 2;
  const std::size_t first_expire = next_expire(schedule, middle, end);
  if (next_expire(schedule, begin, end) == end) {
    schedule.measured_begin = middle;
    schedule.measured_end = middle + most;
    return;
  }
  if (first_expire == end) return;
  const std::optional<std::size_t> turns_end = end_of_turns(schedule, first_expire, end, most);
  if (!turns_end) return;
  schedule.measured_begin = first_expire;
  schedule.measured_end = *turns_end;
}

std::size_t warm_begin_of(const Schedule& schedule) {
  constexpr std::size_t kFewest = 20'000;
  const std::size_t warm = std::max(2 * std::size_t{schedule.slots}, kFewest);
  return schedule.measured_begin - std::min(schedule.measured_begin, warm);
}

}  // namespace timers::benches
