/// The processor time that a timer takes after it was filed, on a real clock.
///
///     dispatch/hashed_wheel_timer/within_250ms/100000
///
/// n timers are scheduled. They are due at random times within a quarter of a second, which begins
/// when all are scheduled and filed. From then on the process only waits. The figure is its
/// processor time until all timers have run, including wake-ups, divided by n. A task counts itself
/// and adds to a checksum. The allocations are those of the calls of `schedule`. Services have
/// their default options, and so ticks of different lengths.

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <stdexcept>

#include "benches/harness/benchmarks.hpp"
#include "benches/harness/services/processor_time.hpp"
#include "benches/harness/services/service_benchmarks.hpp"
#include "benches/workloads/random.hpp"
#include "impls/catalog.hpp"
#include "impls/clocks/clock.hpp"
#include "tests/conformance/allocations.hpp"

namespace timers::benches {
namespace {

using namespace std::chrono_literals;

constexpr Duration kWithin = 250ms;

/// When the first timer is due: long after the last of n timers is scheduled, unless the machine is
/// busy.
constexpr Duration first_lead(std::size_t n) { return 300ms + static_cast<Duration::rep>(n) * 2us; }

/// The shared work of the tasks. The last task wakes the thread that waits for them.
class Tally {
 public:
  Tally(SteadyClock& clock, std::size_t expected)
      : expected_(expected), left_(expected), all_ran_(clock) {}

  /// Called by each task; `task` is its number, from 1 to `expected`.
  void run(std::size_t task) {
    sum_.fetch_add(task, std::memory_order_relaxed);
    if (left_.fetch_sub(1, std::memory_order_acq_rel) == 1) all_ran_.unpark();
  }

  /// Waits for all tasks. Throws if one has not run by `limit`.
  void wait_until(Instant limit) {
    if (all_ran_.park_until(limit)) return;
    throw std::runtime_error(fmt::format("{} of {} timers did not run", left_.load(), expected_));
  }

  /// Throws if a task has not run exactly once. Call it when no further task can run.
  void prove() const {
    if (left_ == 0 && sum_ == expected_ * (expected_ + 1) / 2) return;
    throw std::runtime_error("not each of the timers ran once");
  }

 private:
  const std::size_t expected_;
  std::atomic<std::size_t> left_;
  std::atomic<std::uint64_t> sum_ = 0;
  SteadyClock::Parker all_ran_;
};

/// Returns false if a timer was due before all were scheduled.
template <class Service>
bool measured(benchmark::State& state, std::size_t n, Duration lead) {
  SteadyClock clock;
  Tally tally(clock, n);
  Service service(clock);
  Random random(3);
  const Instant begin = clock.now() + lead;
  const conformance::AllocationMeter meter;
  for (std::size_t i = 1; i <= n; ++i) {
    const auto later = std::chrono::duration_cast<Duration>(kWithin * random.uniform());
    const Duration delay = begin + later - clock.now();
    if (delay < Duration::zero()) return false;
    service.schedule(delay, [&tally, i] { tally.run(i); });
  }
  const std::uint64_t allocations = meter.allocations();
  const double before = processor_seconds_when_idle();
  if (clock.now() >= begin) return false;
  tally.wait_until(begin + kWithin + 10s);
  const double seconds = processor_seconds_when_idle() - before;
  tally.prove();
  const auto timers = static_cast<double>(n);
  state.SetIterationTime(seconds);
  state.counters["ns_per_operation"] = seconds * 1e9 / timers;
  state.counters["operations"] = timers;
  state.counters["allocations_per_schedule"] = static_cast<double>(allocations) / timers;
  return true;
}

template <class Service>
void measure_dispatch(benchmark::State& state, std::size_t n) {
  for (auto _ : state) {
    for (Duration lead = first_lead(n); !measured<Service>(state, n, lead); lead *= 2) {
    }
  }
}

template <class Service>
void add(std::size_t n) {
  add_single_run(fmt::format("dispatch/{}/within_250ms/{}", Service::name, n),
                 [=](benchmark::State& state) { measure_dispatch<Service>(state, n); });
}

void add_all() {
  for (const std::size_t n : {1'000U, 10'000U, 100'000U}) {
    for_each_type(ServiceSettings<SteadyClock>{}, [=]<class Setting>() {
      if constexpr (Setting::kIsDefault) add<typename Setting::Service>(n);
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
