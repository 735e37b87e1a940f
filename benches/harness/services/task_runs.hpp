#pragma once

/// When timers were due and when they ran: the data for lateness and backlog.

#include <algorithm>
#include <cstddef>
#include <vector>

#include "impls/clocks/instant.hpp"

namespace timers::benches {

/// A timer that has run, or has not run yet.
struct Run {
  Instant due;
  Instant started{};
};

/// The greatest number of timers that waited at the same time, i.e. were due and had not started.
inline std::size_t max_backlog(const std::vector<Run>& runs) {
  std::vector<Instant> due;
  std::vector<Instant> started;
  for (const Run& run : runs) {
    if (run.started <= run.due) continue;
    due.push_back(run.due);
    started.push_back(run.started);
  }
  std::sort(due.begin(), due.end());
  std::sort(started.begin(), started.end());
  std::size_t most = 0;
  std::size_t done = 0;
  for (std::size_t i = 0; i < due.size(); ++i) {
    while (started[done] <= due[i]) ++done;
    most = std::max(most, i + 1 - done);
  }
  return most;
}

/// The first instant, from `begin` on, at which no timer waits.
inline Instant end_of_backlog(std::vector<Run> runs, Instant begin) {
  std::sort(runs.begin(), runs.end(), [](const Run& a, const Run& b) { return a.due < b.due; });
  Instant end = begin;
  for (const Run& run : runs) {
    if (run.due > end) break;
    end = std::max(end, run.started);
  }
  return end;
}

}  // namespace timers::benches
