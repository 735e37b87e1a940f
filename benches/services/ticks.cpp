/// What a finer tick costs, and what it is good for.
///
///     ticks/hashed_wheel_timer/1ms/10000
///
/// For 2 s n timers a second are scheduled, with delays of 10 ms to 1 s, on a service with this
/// tick and else its default options. The figure is the p99 of the lateness, from the deadline to
/// the start of the task. `cpu_percent` is what the threads of the service take of one core
/// meanwhile.

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <chrono>
#include <cstddef>

#include "benches/harness/benchmarks.hpp"
#include "benches/harness/quantiles.hpp"
#include "benches/harness/services/lateness_of_runs.hpp"
#include "benches/harness/services/open_loop.hpp"
#include "benches/harness/services/schedule_plan.hpp"
#include "benches/harness/services/service_benchmarks.hpp"
#include "impls/catalog.hpp"
#include "impls/clocks/clock.hpp"

namespace timers::benches {
namespace {

using namespace std::chrono_literals;

template <class Setting>
void measure_ticks(benchmark::State& state, Duration tick, std::size_t n) {
  using Service = typename Setting::Service;
  auto options = Setting::options();
  options.tick_duration = tick;
  const Plan plan = steady_plan(n, &uniform_delay);
  for (auto _ : state) {
    SteadyClock clock;
    OpenLoop loop(clock, plan);
    Service service(clock, options);
    loop.run(service);
    refuse_early<Setting>(loop.runs());
    const Quantiles late(lateness_of(loop.runs()));
    const double seconds = std::chrono::duration<double>(loop.took()).count();
    state.SetIterationTime(late.quantile_ns(0.99) * 1e-9);
    state.counters["ns_per_operation"] = late.quantile_ns(0.99);
    state.counters["operations"] = static_cast<double>(plan.size());
    state.counters["p50_ns"] = late.quantile_ns(0.5);
    state.counters["p99_ns"] = late.quantile_ns(0.99);
    state.counters["cpu_percent"] = 100 * loop.use().seconds / seconds;
    state.counters["generator_lagged"] = loop.generator_lagged() ? 1 : 0;
  }
}

template <class Setting>
void add(const char* name, Duration tick, std::size_t n) {
  add_single_run(fmt::format("ticks/{}/{}/{}", Setting::Service::name, name, n),
                 [=](benchmark::State& state) { measure_ticks<Setting>(state, tick, n); });
}

void add_all() {
  for (const std::size_t n : {1'000U, 10'000U}) {
    for_each_type(ServiceSettings<SteadyClock>{}, [=]<class Setting>() {
      if constexpr (Setting::kVariesTicks && HasTicks<typename Setting::Service>) {
        add<Setting>("100us", 100us, n);
        add<Setting>("1ms", 1ms, n);
        add<Setting>("10ms", 10ms, n);
        add<Setting>("100ms", 100ms, n);
      }
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
