/// The cost of a timer service in a program in which nothing happens.
///
///     idle/hashed_wheel_timer_as_in_netty/one_timer_in_an_hour/10
///
/// Some timers have run, so that the service has all its threads. Then it has no work, with one
/// timer that is due in an hour or with none. Its threads are watched for n seconds: their
/// processor time, and how often they wake. The figure is the processor time in a second.

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <thread>

#include "benches/harness/benchmarks.hpp"
#include "benches/harness/services/processor_use.hpp"
#include "benches/harness/services/service_benchmarks.hpp"
#include "benches/harness/services/settled_service.hpp"
#include "impls/catalog.hpp"
#include "impls/clocks/clock.hpp"

namespace timers::benches {
namespace {

using namespace std::chrono_literals;

/// How much time a service has to come to rest.
constexpr Duration kSettles = 200ms;

template <class Setting>
void measure_idle(benchmark::State& state, std::size_t timers, std::size_t n) {
  for (auto _ : state) {
    SteadyClock clock;
    typename Setting::Service service(clock, Setting::options());
    run_some(service);
    for (std::size_t i = 0; i < timers; ++i) service.schedule(1h, [] {});
    std::this_thread::sleep_for(kSettles);

    const Instant begin = clock.now();
    const ProcessorUse before = use_of_other_threads();
    std::this_thread::sleep_for(std::chrono::seconds(n));
    ProcessorUse use = use_of_other_threads() - before;
    use.seconds = std::max(use.seconds, 0.0);  // It is read in two parts, some 100 ns apart.
    const double seconds = std::chrono::duration<double>(clock.now() - begin).count();
    stop_with_pending(service, timers);

    state.SetIterationTime(seconds);
    state.counters["ns_per_operation"] = use.seconds * 1e9 / seconds;
    state.counters["operations"] = seconds;
    state.counters["cpu_ms_per_second"] = use.seconds * 1e3 / seconds;
    state.counters["voluntary_switches_per_second"] = use.voluntary_switches / seconds;
    state.counters["involuntary_switches_per_second"] = use.involuntary_switches / seconds;
  }
}

template <class Setting>
void add(const char* workload, std::size_t timers, std::size_t n) {
  add_single_run(fmt::format("idle/{}/{}/{}", Setting::name(), workload, n),
                 [=](benchmark::State& state) { measure_idle<Setting>(state, timers, n); });
}

void add_all() {
  for (const std::size_t n : {1U, 2U, 10U}) {
    for_each_type(ServiceSettings<SteadyClock>{}, [=]<class Setting>() {
      if constexpr (!Setting::kHasExecutor) {
        add<Setting>("no_timer", 0, n);
        add<Setting>("one_timer_in_an_hour", 1, n);
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
