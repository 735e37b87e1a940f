/// What happens to a service that has more work than it can do, and how it recovers.
///
///     overload/scheduled_thread_pool_2_threads/150_percent/10
///     overload/hashed_wheel_timer_10ms/stopped/5
///
/// In the first, each task takes 20 µs of processor time. Tasks are due at a steady rate for n
/// seconds. The rate is a percentage of the capacity of the service, which is measured before with
/// timers that are all due at once. A generator schedules each timer 20 ms ahead. If the threads of
/// the service need all cores, the generator takes some of their time.
///
/// In the second, a timer is due each ms, and the process is stopped for n seconds, as if its
/// machine had slept. Besides, a task runs every 10 ms, with the fixed rate of the service. If the
/// service has none, the task uses a Periodic, which runs once for all missed runs. The counter
/// caught_up_runs is the number of runs that are made up for.
///
/// The figure is the time to recover. It begins at the last deadline, or when the stopped process
/// is continued. It ends at the first instant at which all due timers have started.

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "benches/harness/benchmarks.hpp"
#include "benches/harness/quantiles.hpp"
#include "benches/harness/services/lateness_of_runs.hpp"
#include "benches/harness/services/open_loop.hpp"
#include "benches/harness/services/processor_use.hpp"
#include "benches/harness/services/schedule_plan.hpp"
#include "benches/harness/services/service_benchmarks.hpp"
#include "benches/harness/services/stopped_process.hpp"
#include "benches/harness/services/task_runs.hpp"
#include "impls/catalog.hpp"
#include "impls/clocks/clock.hpp"
#include "impls/services/parts/periodic.hpp"

namespace timers::benches {
namespace {

using namespace std::chrono_literals;

double ns(Duration span) { return static_cast<double>(span.count()); }

/// The work of a task.
void work() {
  constexpr double kSeconds = 20e-6;
  const double end = thread_seconds() + kSeconds;
  while (thread_seconds() < end) {
  }
}

/// Each timer is scheduled 20 ms ahead, together with all timers that are due in the same ms. So
/// the generator does not wake for each timer.
Plan load_of(double timers_a_second, Duration length) {
  constexpr Duration kAhead = 20ms;
  Plan plan = even_plan_ahead(timers_a_second, kAhead, length);
  for (PlannedTimer& timer : plan) timer.call = timer.due - timer.due % 1ms - kAhead;
  return plan;
}

/// Lets a service run the plan of a loop, with tasks that do work.
template <class Setting>
void run_work(OpenLoop<SteadyClock>& loop, SteadyClock& clock) {
  typename Setting::Service service(clock, Setting::options());
  loop.run(service, [](std::size_t) { work(); });
}

/// The functions that the bench needs for a service of any type.
struct Worker {
  void (*run)(OpenLoop<SteadyClock>& loop, SteadyClock& clock);
  void (*refuse_early)(const std::vector<Run>& runs);
};

/// How many tasks a second the service runs while nobody schedules.
double capacity_of(const Worker& worker) {
  constexpr std::size_t kTasks = 10'000;
  SteadyClock clock;
  const Plan plan(kTasks, {0s, 200ms});
  OpenLoop loop(clock, plan);
  worker.run(loop, clock);
  const auto [first, last] =
      std::minmax_element(loop.runs().begin(), loop.runs().end(),
                          [](const Run& a, const Run& b) { return a.started < b.started; });
  return static_cast<double>(kTasks - 1) * 1e9 / ns(last->started - first->started);
}

void measure_load(benchmark::State& state, const Worker& worker, std::size_t percent,
                  std::size_t n) {
  for (auto _ : state) {
    const double capacity = capacity_of(worker);
    const Plan plan =
        load_of(capacity * static_cast<double>(percent) / 100, std::chrono::seconds(n));
    SteadyClock clock;
    OpenLoop loop(clock, plan);
    worker.run(loop, clock);
    worker.refuse_early(loop.runs());

    const Instant last = loop.runs().back().due;
    const Duration recovery = end_of_backlog(loop.runs(), last) - last;
    const Quantiles late(lateness_of(loop.runs()));
    state.SetIterationTime(ns(recovery) * 1e-9);
    state.counters["ns_per_operation"] = ns(recovery);
    state.counters["operations"] = static_cast<double>(plan.size());
    state.counters["recovery_ns"] = ns(recovery);
    state.counters["capacity_per_second"] = capacity;
    state.counters["max_backlog"] = static_cast<double>(max_backlog(loop.runs()));
    state.counters["p50_ns"] = late.quantile_ns(0.5);
    state.counters["p99_ns"] = late.quantile_ns(0.99);
    state.counters["max_ns"] = late.quantile_ns(1);
    state.counters["generator_lagged"] = loop.generator_lagged() ? 1 : 0;
  }
}

/// The runs of a task that has a fixed rate.
class RateRuns {
 public:
  static constexpr Duration kPeriod = 10ms;

  explicit RateRuns(SteadyClock& clock) : clock_(clock) {}

  void begin() { next_ = clock_.now() + kPeriod; }
  void note(Instant planned) {
    runs_.push_back({planned, clock_.now()});
    next_ = planned + kPeriod;
  }
  void note_next() { note(next_); }

  /// How many runs were planned before this instant, but took place after it.
  std::size_t caught_up_after(Instant instant) const {
    return static_cast<std::size_t>(std::count_if(runs_.begin(), runs_.end(), [=](const Run& run) {
      return run.due < instant && run.started >= instant;
    }));
  }

 private:
  SteadyClock& clock_;
  Instant next_;  // when the next run is planned, if none is left out
  std::vector<Run> runs_;
};

/// Records the runs of a task at a fixed rate. Returns a function that cancels it.
TimerTask start_rate(HeapTimer<SteadyClock>& service, SteadyClock&, RateRuns& runs) {
  HeapTimerTask task([&runs] { runs.note_next(); });
  service.schedule_at_fixed_rate(task, RateRuns::kPeriod, RateRuns::kPeriod);
  return [task]() mutable { task.cancel(); };
}

TimerTask start_rate(ScheduledThreadPool<SteadyClock>& service, SteadyClock&, RateRuns& runs) {
  auto future = service.schedule_at_fixed_rate(RateRuns::kPeriod, RateRuns::kPeriod,
                                               [&runs] { runs.note_next(); });
  return [future = std::move(future)]() mutable { future.cancel(); };
}

template <class Service>
TimerTask start_rate(Service& service, SteadyClock& clock, RateRuns& runs) {
  Periodic<Service, SteadyClock> periodic(service, clock);
  auto timer = periodic.schedule(RateRuns::kPeriod, {RateRuns::kPeriod, CountsFrom::plan},
                                 [&runs](const PeriodicRun& run) { runs.note(run.planned); });
  return [periodic, timer]() mutable { periodic.cancel(timer); };
}

/// How a service recovered.
struct Recovery {
  double took_ns;
  double timers;
  double max_backlog;
  double caught_up_runs;
};

/// Runs timers in a process that is stopped, and then continued.
template <class Setting>
Recovery run_and_stop(Duration pause, const Stop& stop) {
  SteadyClock clock;
  const Plan plan = even_plan_ahead(1'000, 300ms, pause + 2s);
  OpenLoop loop(clock, plan);
  RateRuns rate_runs(clock);
  typename Setting::Service service(clock, Setting::options());
  Instant sent_on;
  std::jthread disturbance([&] {
    std::this_thread::sleep_for(100ms);
    rate_runs.begin();
    TimerTask cancel_rate = start_rate(service, clock, rate_runs);
    std::this_thread::sleep_for(400ms);
    sent_on = stop();
    std::this_thread::sleep_for(500ms);
    cancel_rate();
  });
  loop.run(service);
  disturbance.join();
  refuse_early<Setting>(loop.runs());
  return {ns(end_of_backlog(loop.runs(), sent_on) - sent_on), static_cast<double>(plan.size()),
          static_cast<double>(max_backlog(loop.runs())),
          static_cast<double>(rate_runs.caught_up_after(sent_on))};
}

template <class Setting>
void measure_stopped(benchmark::State& state, std::size_t n) {
  const Duration pause = std::chrono::seconds(n);
  for (auto _ : state) {
    const Recovery recovery = in_process_that_stops(
        pause, [=](const Stop& stop) { return run_and_stop<Setting>(pause, stop); });
    state.SetIterationTime(recovery.took_ns * 1e-9);
    state.counters["ns_per_operation"] = recovery.took_ns;
    state.counters["operations"] = recovery.timers;
    state.counters["recovery_ns"] = recovery.took_ns;
    state.counters["max_backlog"] = recovery.max_backlog;
    state.counters["caught_up_runs"] = recovery.caught_up_runs;
  }
}

template <class Setting, class Measure>
void add(const std::string& workload, std::size_t n, Measure measure) {
  add_single_run(fmt::format("overload/{}/{}/{}", Setting::name(), workload, n), measure);
}

template <class Setting>
void add_each_workload() {
  static constexpr Worker kWorker = {&run_work<Setting>, &refuse_early<Setting>};
  for (const std::size_t n : {1U, 10U}) {
    for (const std::size_t percent : {50U, 100U, 150U}) {
      add<Setting>(fmt::format("{}_percent", percent), n,
                   [=](benchmark::State& state) { measure_load(state, kWorker, percent, n); });
    }
  }
  for (const std::size_t n : {1U, 5U}) {
    add<Setting>("stopped", n,
                 [=](benchmark::State& state) { measure_stopped<Setting>(state, n); });
  }
}

void add_all() {
  for_each_type(ServiceSettings<SteadyClock>{}, []<class Setting>() {
    if constexpr (!Setting::kHasExecutor) add_each_workload<Setting>();
  });
}

}  // namespace
}  // namespace timers::benches

int main(int argc, char** argv) {
  using namespace timers;
  benches::add_all();
  return benches::run_service_benchmarks<ServiceCatalog<SteadyClock>>(argc, argv);
}
