/// How each service handles the user's own load, in real time.
///
///     service_load --load=my_load.json
///     service_load/hashed_wheel_timer_10ms/own
///     service_limit/hashed_wheel_timer_10ms/own
///
/// The file is the same as for `load`, and one thread makes all calls. The first bench plays 1.7 s
/// of it, after it has set all timers that are pending at the beginning. An operation is a
/// schedule, re-arm or cancel. Its cost is the time of the call, plus the processor time of the
/// service's threads for it. A service that cannot re-arm cancels and schedules.
///
/// The second bench plays the load faster and faster, with all limits shortened by the same factor.
/// It finds how many operations a second the service can keep up with: after 0.6 s neither calls
/// nor tasks are 50 ms behind, beyond the ticks of the service.

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "benches/harness/benchmarks.hpp"
#include "benches/harness/contest.hpp"
#include "benches/harness/quantiles.hpp"
#include "benches/harness/services/histogram.hpp"
#include "benches/harness/services/lateness_of_runs.hpp"
#include "benches/harness/services/processor_use.hpp"
#include "benches/harness/services/task_runs.hpp"
#include "benches/harness/services/trace_player.hpp"
#include "benches/services/measured_services.hpp"
#include "benches/traces/trace.hpp"
#include "benches/workloads/played_file.hpp"
#include "impls/clocks/clock.hpp"
#include "impls/clocks/instant.hpp"
#include "impls/type_list.hpp"
#include "tests/conformance/allocations.hpp"

namespace timers::benches {
namespace {

using namespace std::chrono_literals;

constexpr auto kWarmUp = 200ms;
constexpr auto kMeasured = 1'500ms;
constexpr auto kTrial = 600ms;
constexpr auto kFarBehind = 50ms;

double seconds(Duration span) { return std::chrono::duration<double>(span).count(); }

/// A piece of the file with this length, in seconds of its own time.
Trace piece_of(const std::string& file, double seconds) {
  Trace trace = played_to_services(file, seconds);
  const auto end = std::find_if(trace.operations.begin(), trace.operations.end(),
                                [=](const TraceOperation& operation) {
                                  return static_cast<double>(operation.time) > seconds * 1e9;
                                });
  trace.operations.erase(end, trace.operations.end());
  return trace;
}

/// How many calls a second the piece has.
double rate_of(const Trace& trace) {
  const auto calls =
      std::count_if(trace.operations.begin(), trace.operations.end(), [](const auto& operation) {
        return operation.time > 0 && operation.verb != TraceVerb::observed_expiry;
      });
  return static_cast<double>(calls) * 1e9 / static_cast<double>(trace.operations.back().time);
}

Duration lead_for(const Trace& trace) {
  const auto at_once = std::count_if(trace.operations.begin(), trace.operations.end(),
                                     [](const auto& operation) { return operation.time == 0; });
  return 50ms + at_once * 2us;
}

struct Play {
  std::vector<Run> runs;
  std::vector<double> calls;
  double bytes = 0;  // that the service held at the end
  bool fell_behind = false;
  ProcessorUse use;
  double took_s = 0;
};

/// Plays a piece to a fresh service. The lead is long enough to set all timers of time 0.
template <class Setting>
Play play(const Trace& trace, Tempo tempo) {
  for (tempo.lead = lead_for(trace);; tempo.lead *= 2) {
    SteadyClock clock;
    TracePlayer player(clock, trace, tempo);
    const std::ptrdiff_t before = conformance::live_bytes_of_all_threads();
    typename Setting::Service service(clock, Setting::options());
    const auto of_handles =
        static_cast<std::ptrdiff_t>(trace.ids * sizeof(typename Setting::Service::Handle));
    std::ptrdiff_t bytes = sizeof service;
    const auto look = [&] {
      bytes += conformance::live_bytes_of_all_threads() - before - of_handles;
    };
    if (!player.play(service, look)) continue;
    refuse_early<Setting>(player.runs());
    return {player.runs(),        player.calls(), static_cast<double>(bytes),
            player.fell_behind(), player.use(),   seconds(player.took())};
  }
}

/// The mean of times in ascending order, without the longest 0.1%, which are mostly interruptions.
double mean_of_most(const std::vector<double>& sorted) {
  const std::size_t most = sorted.size() - sorted.size() / 1'000;
  const auto end = sorted.begin() + static_cast<std::ptrdiff_t>(most);
  return std::accumulate(sorted.begin(), end, 0.0) / static_cast<double>(most);
}

void report_calls(benchmark::State& state, std::vector<double> times) {
  std::sort(times.begin(), times.end());
  const auto at = [&](double share) {
    return times[static_cast<std::size_t>(share * static_cast<double>(times.size() - 1))];
  };
  state.counters["p50_call_ns"] = at(0.5);
  state.counters["p99_call_ns"] = at(0.99);
  state.counters["p999_call_ns"] = at(0.999);
  state.counters["worst_call_ns"] = at(1);
  state.counters["call_ns"] = mean_of_most(times);
}

/// The label has the whole distribution, so that quantiles of several runs together can be
/// computed.
void report_lateness_of(benchmark::State& state, const std::vector<Run>& runs) {
  state.counters["runs"] = static_cast<double>(runs.size());
  const std::vector<Duration> late = lateness_of(runs);
  state.SetLabel(fmt::format(R"({{"late":{}}})", histogram_of(late)));
  if (late.empty()) return;
  const Quantiles quantiles(late);
  state.counters["p50_late_ns"] = quantiles.quantile_ns(0.5);
  state.counters["max_late_ns"] = quantiles.quantile_ns(1);
}

/// Plays the load once, at its own speed.
template <class Setting>
class Played final : public Contestant {
 public:
  explicit Played(std::shared_ptr<const Trace> trace) : trace_(std::move(trace)) {}

  void take_turn(std::size_t, std::size_t) override {
    const Play more = play<Setting>(*trace_, {.measured_from = kWarmUp, .grace = 250ms});
    runs_.insert(runs_.end(), more.runs.begin(), more.runs.end());
    calls_.insert(calls_.end(), more.calls.begin(), more.calls.end());
    bytes_ = std::max(bytes_, more.bytes);
    took_s_ += more.took_s;
    use_s_ += more.use.seconds;
    wakes_ += more.use.voluntary_switches;
  }

  void report(benchmark::State& state) const override {
    if (calls_.empty()) throw std::runtime_error("nothing is called in 1.5 s of this load");
    report_calls(state, calls_);
    report_lateness_of(state, runs_);
    const auto operations = static_cast<double>(calls_.size());
    const double of_threads_ns = use_s_ * 1e9 / operations;
    state.SetIterationTime(took_s_);
    state.counters["operations"] = operations;
    state.counters["operations_per_second"] = operations / took_s_;
    state.counters["ns_per_operation"] =
        static_cast<double>(state.counters["call_ns"]) + of_threads_ns;
    state.counters["bytes"] = bytes_;
    state.counters["wakes_per_second"] = wakes_ / took_s_;
  }

 private:
  std::shared_ptr<const Trace> trace_;
  std::vector<Run> runs_;
  std::vector<double> calls_;
  double bytes_ = 0;
  double took_s_ = 0;
  double use_s_ = 0;
  double wakes_ = 0;
};

template <class Setting>
bool keeps_up(const std::string& file, double speed) {
  const Trace trace = piece_of(file, speed * seconds(kTrial));
  SteadyClock clock;
  const Duration late = typename Setting::Service(clock, Setting::options()).max_lateness();
  return !play<Setting>(trace, {.speed = speed, .falls_behind = kFarBehind + 2 * late}).fell_behind;
}

/// The greatest rate with which the service keeps up, to a factor of 1.4. `is_least` says that it
/// may keep up with even more, because one thread cannot call more often, or because the recording
/// is too short.
template <class Setting>
void find_limit(benchmark::State& state, const std::string& file) {
  constexpr double kBegin = 1e6;  // operations a second
  constexpr double kMost = 1e7;
  const double rate = rate_of(piece_of(file, seconds(kTrial)));
  const double most = std::min(kMost / rate, most_seconds(file) / seconds(kTrial));
  double speed = std::min(kBegin / rate, most);
  bool keeps = keeps_up<Setting>(file, speed);
  const bool goes_up = keeps;
  while (keeps == goes_up && (goes_up ? speed * 2 <= most : speed * rate > 1)) {
    speed *= goes_up ? 2 : 0.5;
    keeps = keeps_up<Setting>(file, speed);
  }
  const bool is_least = goes_up && keeps;
  if (!is_least) {
    const double low = keeps ? speed : speed / 2;
    const double between = low * std::sqrt(2.0);
    speed = keeps_up<Setting>(file, between) ? between : low;
  }
  state.counters["ns_per_operation"] = 1e9 / (speed * rate);
  state.counters["operations_per_second"] = speed * rate;
  state.counters["is_least"] = is_least ? 1 : 0;
}

/// A piece of the file, which is read when the first service plays it.
class Piece {
 public:
  explicit Piece(std::string file) : file_(std::move(file)) {}

  std::shared_ptr<const Trace> get() {
    if (!trace_) {
      trace_ = std::make_shared<const Trace>(piece_of(file_, seconds(kWarmUp + kMeasured)));
    }
    return trace_;
  }

 private:
  std::string file_;
  std::shared_ptr<const Trace> trace_;
};

void add_all(const std::string& file) {
  const auto piece = std::make_shared<Piece>(file);
  const auto contest = std::make_shared<Contest>([] { return Extent{}; });
  for_each_type(MeasuredSettings{}, [&]<class Setting>() {
    if constexpr (!Setting::kHasExecutor) {
      contest->add(fmt::format("service_load/{}/own", Setting::name()),
                   [=] { return std::make_unique<Played<Setting>>(piece->get()); });
      add_benchmark(fmt::format("service_limit/{}/own", Setting::name()),
                    [=](benchmark::State& state) {
                      for (auto _ : state) find_limit<Setting>(state, file);
                    })
          ->Iterations(1);
    }
  });
}

}  // namespace
}  // namespace timers::benches

int main(int argc, char** argv) {
  using namespace timers::benches;
  const auto file = take_file(argc, argv, "--load=", fault_of_file);
  if (!file) return 1;
  add_all(*file);
  return run_benchmarks(argc, argv, groups_with_twin());
}
