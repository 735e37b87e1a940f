#pragma once

/// How late timers ran.

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

#include "benches/harness/quantiles.hpp"
#include "benches/harness/services/task_runs.hpp"
#include "impls/clocks/instant.hpp"

namespace timers::benches {

/// The lateness of each run, from its deadline to its start. A run that was early is not late.
inline std::vector<Duration> lateness_of(const std::vector<Run>& runs) {
  std::vector<Duration> late(runs.size());
  std::transform(runs.begin(), runs.end(), late.begin(),
                 [](const Run& run) { return std::max(run.started - run.due, Duration::zero()); });
  return late;
}

/// How many runs started before their deadlines.
inline std::size_t count_early(const std::vector<Run>& runs) {
  return static_cast<std::size_t>(std::count_if(
      runs.begin(), runs.end(), [](const Run& run) { return run.started < run.due; }));
}

/// Throws if a timer ran earlier than it may in this setting.
template <class Setting>
void refuse_early(const std::vector<Run>& runs) {
  for (const Run& run : runs) {
    if (run.started >= run.due - Setting::kMayBeEarly) continue;
    throw std::runtime_error(
        fmt::format("a timer ran {} ns before its deadline", (run.due - run.started).count()));
  }
}

/// A slice of the time in which timers ran.
struct Slice {
  Duration begin;                // after the first deadline
  std::size_t backlog;           // at its end: the number of due timers that have not started
  std::optional<double> p99_ns;  // the lateness of the runs that started in it, if there are any
};

/// Slices without gaps, from the first deadline until all runs have started. Runs that started
/// earlier are in the first slice. O(n log n).
inline std::vector<Slice> slices_of(std::vector<Run> runs, Duration length) {
  std::vector<Instant> due(runs.size());
  std::transform(runs.begin(), runs.end(), due.begin(), [](const Run& run) { return run.due; });
  std::sort(due.begin(), due.end());
  std::sort(runs.begin(), runs.end(),
            [](const Run& a, const Run& b) { return a.started < b.started; });
  std::vector<Slice> slices;
  auto next = runs.begin();
  for (Duration begin{}; next != runs.end(); begin += length) {
    const Instant end = due.front() + begin + length;
    const auto first = next;
    next = std::find_if(first, runs.end(), [end](const Run& run) { return run.started >= end; });
    const auto were_due = std::lower_bound(due.begin(), due.end(), end) - due.begin();
    const auto had_started = next - runs.begin();
    Slice slice{begin, 0, std::nullopt};
    if (were_due > had_started) slice.backlog = static_cast<std::size_t>(were_due - had_started);
    if (first != next) slice.p99_ns = Quantiles(lateness_of({first, next})).quantile_ns(0.99);
    slices.push_back(slice);
  }
  return slices;
}

}  // namespace timers::benches
