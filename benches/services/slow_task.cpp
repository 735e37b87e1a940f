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
#include <vector>

#include "benches/harness/benchmarks.hpp"
#include "benches/harness/quantiles.hpp"
#include "benches/harness/services/lateness_of_runs.hpp"
#include "benches/harness/services/open_loop.hpp"
#include "benches/harness/services/schedule_plan.hpp"
#include "benches/harness/services/service_benchmarks.hpp"
#include "benches/harness/services/task_runs.hpp"
#include "impls/catalog.hpp"
#include "impls/clocks/clock.hpp"

namespace timers::benches {
namespace {

using namespace std::chrono_literals;

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
  add_single_run(fmt::format("slow_task/{}/{}/{}", Setting::name(), workload, n),
                 [=](benchmark::State& state) { measure_slow_task<Setting>(state, slow, n); });
}

void add_all() {
  for (const std::size_t n : {1'000U, 100'000U}) {
    for_each_type(ServiceSettings<SteadyClock>{}, [=]<class Setting>() {
      add<Setting>("one_of_500ms", {.first = n / 2, .every = 2 * n, .takes = 500ms}, n);
      add<Setting>("one_in_1000_of_1ms", {.first = 500, .every = 1000, .takes = 1ms}, n);
    });
  }
}

}  // namespace
}  // namespace timers::benches

int main(int argc, char** argv) {
  using namespace timers;
  benches::add_all();
  return benches::run_service_benchmarks<ServiceCatalog<SteadyClock>>(argc, argv);
}
