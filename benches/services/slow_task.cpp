/// How late timers are because the tasks of others are slow.
///
///     slow_task/hashed_wheel_timer_10ms_executor/one_of_500ms/1000
///
/// n timers a second are due at equal distances for two seconds, and all are scheduled before. A
/// slow task sleeps, as one does that waits for an answer: it keeps its thread, and no core. The
/// figures are the lateness of all others, from the deadline to the start of the task; the first of
/// them is the median.

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <chrono>
#include <cstddef>
#include <thread>
#include <utility>
#include <vector>

#include "benches/harness/benchmarks.hpp"
#include "benches/harness/quantiles.hpp"
#include "benches/harness/services/lateness_of_runs.hpp"
#include "benches/harness/services/open_loop.hpp"
#include "benches/harness/services/schedule_plan.hpp"
#include "benches/harness/services/task_runs.hpp"
#include "benches/services/settings.hpp"
#include "impls/clocks/clock.hpp"
#include "impls/services/parts/executor.hpp"

namespace timers::benches {
namespace {

using namespace std::chrono_literals;

/// A service that hands its tasks over to two threads.
template <class Inner>
class OnTwoThreads {
 public:
  using Options = typename Inner::Options;

  OnTwoThreads(SteadyClock& clock, Options options)
      : executor_(clock, 2), service_(clock, with_executor(std::move(options))) {}

  void schedule(Delay delay, TimerTask task) { service_.schedule(delay, std::move(task)); }

  std::size_t pending() const { return service_.pending() + executor_.waiting(); }

  /// What was handed over still runs.
  std::vector<TimerTask> stop() {
    std::vector<TimerTask> never_ran = service_.stop();
    while (executor_.waiting() > 0) std::this_thread::sleep_for(1ms);
    executor_.stop();
    return never_ran;
  }

 private:
  Options with_executor(Options options) {
    options.executor = &executor_;
    return options;
  }

  PoolExecutor<SteadyClock> executor_;
  Inner service_;
};

struct HashedWheelTimerWithExecutor {
  using Service = OnTwoThreads<HashedWheelTimer<SteadyClock>>;
  static constexpr const char* name = "hashed_wheel_timer_10ms_executor";
  static Service::Options options() { return HashedWheelTimerOf10ms::options(); }
};

struct HierarchicalWheelTimerWithExecutor {
  using Service = OnTwoThreads<HierarchicalWheelTimer<SteadyClock>>;
  static constexpr const char* name = "hierarchical_wheel_timer_executor";
  static Service::Options options() { return {}; }
};

using SettingsWithExecutor =
    TypeList<HashedWheelTimerWithExecutor, HierarchicalWheelTimerWithExecutor>;

/// A task is slow if its timer is the one `first`, or one of `every` after it.
struct Slow {
  std::size_t first;
  std::size_t every;
  Duration takes;

  bool contains(std::size_t timer) const { return timer >= first && (timer - first) % every == 0; }
};

void report(benchmark::State& state, const std::vector<Run>& others) {
  const Quantiles late(lateness_of(others));
  state.SetIterationTime(late.quantile_ns(1) * 1e-9);
  state.counters["ns_per_operation"] = late.quantile_ns(0.5);
  state.counters["operations"] = static_cast<double>(others.size());
  state.counters["p90_ns"] = late.quantile_ns(0.9);
  state.counters["p99_ns"] = late.quantile_ns(0.99);
  state.counters["max_ns"] = late.quantile_ns(1);
  state.counters["max_backlog"] = static_cast<double>(max_backlog(others));
}

/// Returns false if a timer was due before all were in.
template <class Setting>
bool measured(benchmark::State& state, Slow slow, std::size_t n, Duration lead) {
  const Plan plan = even_plan_ahead(static_cast<double>(n), lead, 2s);
  SteadyClock clock;
  OpenLoop loop(clock, plan);
  typename Setting::Service service(clock, Setting::options());
  loop.run(service, [=](std::size_t timer) {
    if (slow.contains(timer)) std::this_thread::sleep_for(slow.takes);
  });
  if (loop.generator_lagged()) return false;
  refuse_early<Setting>(loop.runs());
  std::vector<Run> others;
  for (std::size_t i = 0; i < plan.size(); ++i) {
    if (!slow.contains(i)) others.push_back(loop.runs()[i]);
  }
  report(state, others);
  return true;
}

template <class Setting>
void measure_slow_task(benchmark::State& state, Slow slow, std::size_t n) {
  for (auto _ : state) {
    for (Duration lead = 100ms + 2us * n; !measured<Setting>(state, slow, n, lead); lead *= 2) {
    }
  }
}

template <class Setting>
void add(const char* workload, Slow slow, std::size_t n) {
  add_single_run(fmt::format("slow_task/{}/{}/{}", Setting::name, workload, n),
                 [=](benchmark::State& state) { measure_slow_task<Setting>(state, slow, n); });
}

void add_all() {
  for (const std::size_t n : {1'000U, 100'000U}) {
    const auto add_setting = [=]<class Setting>() {
      add<Setting>("one_of_500ms", {.first = n / 2, .every = 2 * n, .takes = 500ms}, n);
      add<Setting>("one_in_1000_of_1ms", {.first = 500, .every = 1000, .takes = 1ms}, n);
    };
    for_each_type(Settings{}, add_setting);
    for_each_type(SettingsWithExecutor{}, add_setting);
  }
}

}  // namespace
}  // namespace timers::benches

int main(int argc, char** argv) {
  timers::benches::add_all();
  return timers::benches::run_benchmarks(argc, argv);
}
