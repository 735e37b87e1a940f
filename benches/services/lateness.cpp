/// How late a service runs its timers, on a real clock.
///
///     lateness/hashed_wheel_timer_10ms/uniform/100000
///
/// A plan says when each timer is scheduled and when it is due. The lateness is from that deadline
/// to the start of the task, which notes the time and does nothing else; the figure is the median.
/// What is lost, runs twice or runs early is an error. (A service that is as its original may be as
/// early as that: `early` says how many were.)
///
///     uniform        for 2 s, n timers a second with delays of 10 ms to 1 s
///     exponential    the same with delays that are short as a rule: 10 ms at least, 100 ms on
///                    average
///     ballast        10,000 a second as in uniform, while n others are pending that are due in an
///                    hour or two
///     burst          n that are due at the same instant
///     within_3s      n that are due within 3 s
///
/// The timers of the last two are all in before the first is due. In the others a generator
/// schedules at fixed times. If it falls behind, the deadlines stay: how far it was shows, and
/// whether it was so far that the service may have got a timer too late.
///
/// The processor time is that of the threads of the service. The label has the whole distribution
/// of the lateness and of the generator's lag, and what happened over time: in slices of 50 ms, in
/// ms from the first deadline, the backlog at its end, and the p99 of what started in it. Where all
/// calls are made at once, the lag is how long they took.

#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <malloc.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <iterator>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "benches/harness/benchmarks.hpp"
#include "benches/harness/services/histogram.hpp"
#include "benches/harness/services/lateness_of_runs.hpp"
#include "benches/harness/services/open_loop.hpp"
#include "benches/harness/services/processor_time.hpp"
#include "benches/harness/services/schedule_plan.hpp"
#include "benches/harness/services/service_benchmarks.hpp"
#include "benches/workloads/random.hpp"
#include "impls/catalog.hpp"
#include "impls/clocks/clock.hpp"

namespace timers::benches {
namespace {

using namespace std::chrono_literals;

/// What a service is put to.
struct Load {
  Plan plan;
  std::size_t ballast = 0;
};

/// What a workload makes of n, and of how long before the first deadline all are to be in, if they
/// are.
using MakeLoad = Load (*)(std::size_t n, Duration lead);

/// What to begin with: long enough as a rule.
Duration first_lead(std::size_t n) { return 300ms + n * 2us; }

/// Not before `lead`, and far from the ticks of 1, 10 and 100 ms that begin with the plan: what is
/// due there is late by about half of any.
Duration between_ticks(Duration lead) { return (lead / 100ms + 1) * 100ms + 55ms + 500us; }

struct Workload {
  const char* name;
  std::vector<std::size_t> sizes;
  MakeLoad make_load;
};

const std::array<Workload, 5> kWorkloads{{
    {"uniform",
     {1'000, 10'000, 100'000, 1'000'000},
     [](std::size_t n, Duration) { return Load{steady_plan(n, &uniform_delay)}; }},
    {"exponential",
     {1'000, 10'000, 100'000, 1'000'000},
     [](std::size_t n, Duration) { return Load{steady_plan(n, &exponential_delay)}; }},
    {"ballast",
     {1'000, 100'000, 1'000'000, 10'000'000},
     [](std::size_t n, Duration) {
       return Load{steady_plan(10'000, &uniform_delay), n};
     }},
    {"burst",
     {1'000, 10'000, 100'000, 1'000'000},
     [](std::size_t n, Duration lead) { return Load{plan_ahead(n, between_ticks(lead), 0s)}; }},
    {"within_3s",
     {100'000, 1'000'000, 5'000'000},
     [](std::size_t n, Duration lead) { return Load{plan_ahead(n, lead, 3s)}; }},
}};

/// Schedules timers that are due in one to two hours, and waits until the service is at rest.
template <class Service>
void add_ballast(Service& service, std::size_t timers) {
  if (timers == 0) return;
  Random random(7);
  for (std::size_t i = 0; i < timers; ++i) {
    service.schedule(in_one_to_two_hours(random), [] {});
  }
  processor_seconds_when_idle();
}

std::string over_time(const std::vector<Run>& runs) {
  std::string json;
  for (const Slice& slice : slices_of(runs, 50ms)) {
    fmt::format_to(std::back_inserter(json), "{}[{},{},{}]", json.empty() ? "" : ",",
                   slice.begin / 1ms, slice.backlog,
                   slice.p99_ns ? fmt::format("{:.0f}", *slice.p99_ns) : "null");
  }
  return '[' + json + ']';
}

template <class Setting>
void report(benchmark::State& state, const OpenLoop<SteadyClock>& loop) {
  refuse_early<Setting>(loop.runs());
  const std::vector<Duration> spans = lateness_of(loop.runs());
  const Quantiles late(spans);
  const Quantiles lags(loop.lags());
  const auto timers = static_cast<double>(loop.runs().size());
  state.SetIterationTime(late.quantile_ns(0.5) * 1e-9);
  state.counters["ns_per_operation"] = late.quantile_ns(0.5);
  state.counters["operations"] = timers;
  state.counters["p50_ns"] = late.quantile_ns(0.5);
  state.counters["p90_ns"] = late.quantile_ns(0.9);
  state.counters["p99_ns"] = late.quantile_ns(0.99);
  state.counters["p999_ns"] = late.quantile_ns(0.999);
  state.counters["p9999_ns"] = late.quantile_ns(0.9999);
  state.counters["max_ns"] = late.quantile_ns(1);
  state.counters["early"] = static_cast<double>(count_early(loop.runs()));
  state.counters["lost"] = 0;
  state.counters["generator_lag_p999_ns"] = lags.quantile_ns(0.999);
  state.counters["generator_lag_max_ns"] = lags.quantile_ns(1);
  state.counters["generator_lagged"] = loop.generator_lagged() ? 1 : 0;
  state.counters["cpu_ns_per_operation"] = loop.use().seconds * 1e9 / timers;
  state.counters["max_backlog"] = static_cast<double>(max_backlog(loop.runs()));
  state.SetLabel(fmt::format(R"({{"lateness":{},"generator_lag":{},"over_time":{}}})",
                             histogram_of(spans), histogram_of(loop.lags()),
                             over_time(loop.runs())));
}

/// Returns false if the calls of a plan that has them at once took longer than its lead.
template <class Setting>
bool measured(benchmark::State& state, const Load& load) {
  SteadyClock clock;
  OpenLoop loop(clock, load.plan);
  typename Setting::Service service(clock, Setting::options());
  add_ballast(service, load.ballast);
  loop.run(service);
  if (is_ahead(load.plan) && loop.generator_lagged()) return false;
  report<Setting>(state, loop);
  return true;
}

template <class Setting>
void measure_lateness(benchmark::State& state, MakeLoad make_load, std::size_t n) {
  mallopt(M_TRIM_THRESHOLD, std::numeric_limits<int>::max());  // Memory that was freed stays.
  for (auto _ : state) {
    for (Duration lead = first_lead(n); !measured<Setting>(state, make_load(n, lead)); lead *= 2) {
    }
  }
}

template <class Setting>
void add(const Workload& workload, std::size_t n) {
  add_single_run(fmt::format("lateness/{}/{}/{}", Setting::name(), workload.name, n),
                 [make_load = workload.make_load, n](benchmark::State& state) {
                   measure_lateness<Setting>(state, make_load, n);
                 });
}

void add_all() {
  for (const Workload& workload : kWorkloads) {
    for (const std::size_t n : workload.sizes) {
      for_each_type(ServiceSettings<SteadyClock>{}, [&]<class Setting>() {
        if constexpr (!Setting::kHasExecutor) add<Setting>(workload, n);
      });
    }
  }
}

}  // namespace
}  // namespace timers::benches

int main(int argc, char** argv) {
  using namespace timers;
  benches::add_all();
  return benches::run_service_benchmarks<ServiceCatalog<SteadyClock>>(argc, argv);
}
