#pragma once

/// The lateness of the tasks that ran in several turns, and how it is reported.

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <array>
#include <string_view>
#include <utility>
#include <vector>

#include "benches/harness/quantiles.hpp"
#include "benches/harness/services/lateness_of_runs.hpp"
#include "benches/harness/services/task_runs.hpp"
#include "impls/clocks/instant.hpp"

namespace timers::benches {

class Lateness {
 public:
  void add(const std::vector<Run>& runs) {
    const std::vector<Duration> more = lateness_of(runs);
    spans_.insert(spans_.end(), more.begin(), more.end());
  }

  const std::vector<Duration>& spans() const { return spans_; }
  Quantiles quantiles() const { return Quantiles(spans_); }

 private:
  std::vector<Duration> spans_;
};

/// Which quantile is the figure of a bench.
struct FigureAt {
  double share;
};

/// Reports the quantiles; one of them is the figure. If the floor was measured, its quantiles are
/// subtracted, and the rest is reported, too.
inline void report_lateness(benchmark::State& state, const Lateness& lateness,
                            const Lateness& floor, FigureAt figure) {
  constexpr auto kQuantiles = std::to_array<std::pair<std::string_view, double>>(
      {{"p50", 0.5}, {"p90", 0.9}, {"p99", 0.99}, {"p999", 0.999}, {"p9999", 0.9999}, {"max", 1}});
  constexpr auto kBeyondFloor = std::to_array<std::pair<std::string_view, double>>(
      {{"p50", 0.5}, {"p99", 0.99}, {"p999", 0.999}});
  const Quantiles late = lateness.quantiles();
  state.SetIterationTime(late.quantile_ns(figure.share) * 1e-9);
  state.counters["ns_per_operation"] = late.quantile_ns(figure.share);
  state.counters["operations"] = static_cast<double>(lateness.spans().size());
  for (const auto& [name, share] : kQuantiles) {
    state.counters[fmt::format("{}_ns", name)] = late.quantile_ns(share);
  }
  if (floor.spans().empty()) return;
  const Quantiles least = floor.quantiles();
  for (const auto& [name, share] : kBeyondFloor) {
    state.counters[fmt::format("{}_beyond_floor_ns", name)] =
        late.quantile_ns(share) - least.quantile_ns(share);
  }
}

}  // namespace timers::benches
