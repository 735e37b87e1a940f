/// The memory of a service for its timers, and for timers that are gone: counted and not timed.
///
///     service_memory/heap_timer/after_cancel/100000
///
///     pending         n timers are scheduled, due in one to two hours, and are filed where the
///                     service keeps them
///     after_cancel    n times such a timer is scheduled and cancelled at once; then the service
///                     is left alone
///
/// A timer that is due before all of them is pending all the time, so the service sleeps. Nobody
/// keeps a handle. `bytes_per_timer` is the memory that they add to that of the service before,
/// divided by n. If there is a limit to what cancelled timers leave behind, it shrinks when n
/// grows. The bytes are those of all blocks from operator new, in all threads; stacks of threads do
/// not count. Each service is counted in a process of its own, so that no service finds the spare
/// blocks that the pool of another one keeps.

#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <malloc.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <thread>

#include "benches/harness/benchmarks.hpp"
#include "benches/harness/child_process.hpp"
#include "benches/harness/services/schedule_plan.hpp"
#include "benches/harness/services/service_benchmarks.hpp"
#include "benches/harness/services/settled_service.hpp"
#include "benches/workloads/random.hpp"
#include "impls/catalog.hpp"
#include "impls/clocks/clock.hpp"
#include "impls/timer_service.hpp"
#include "tests/conformance/allocations.hpp"

namespace timers::benches {
namespace {

using namespace std::chrono_literals;

enum class Then { stays, is_cancelled };

/// The bytes of all threads, once they have not changed for longer than the longest tick.
std::ptrdiff_t settled_bytes() {
  constexpr auto kLongerThanATick = 250ms;
  for (std::ptrdiff_t before = conformance::live_bytes_of_all_threads();;) {
    std::this_thread::sleep_for(kLongerThanATick);
    const std::ptrdiff_t now = conformance::live_bytes_of_all_threads();
    if (now == before) return now;
    before = now;
  }
}

/// The memory that a pool of nodes keeps after the service is gone: four spare blocks, and the
/// block of the thread that made the nodes.
constexpr std::ptrdiff_t kBytesOfPool = 5 << 14;

struct Use {
  double bytes_empty = 0;
  double bytes_per_timer = 0;
  double allocations_per_operation = 0;
};

template <class Setting>
Use use_of(Then then, std::size_t n) {
  using Service = typename Setting::Service;
  malloc_trim(0);
  const auto timers = static_cast<double>(n);
  const std::ptrdiff_t before = settled_bytes();
  Use use;
  {
    SteadyClock clock;
    Service service(clock, Setting::options());
    run_some(service);
    const std::ptrdiff_t empty = settled_bytes();
    use.bytes_empty = static_cast<double>(empty - before) + sizeof(Service);

    service.schedule(30min, [] {});
    const std::ptrdiff_t with_the_first = settled_bytes();
    Random random(1);
    const conformance::AllocationMeter meter;
    for (std::size_t i = 0; i < n; ++i) {
      const auto handle = service.schedule(in_one_to_two_hours(random), [] {});
      if (then == Then::is_cancelled && service.cancel(handle) != CancelResult::cancelled) {
        throw std::runtime_error("a pending timer was not cancelled");
      }
    }
    use.allocations_per_operation = static_cast<double>(meter.allocations()) / timers;
    if (then == Then::stays) run_some(service);
    use.bytes_per_timer = static_cast<double>(settled_bytes() - with_the_first) / timers;
    stop_with_pending(service, then == Then::stays ? n + 1 : 1);
  }
  if (const std::ptrdiff_t left = settled_bytes() - before; left > kBytesOfPool) {
    throw std::runtime_error(fmt::format("{} bytes outlive the service", left));
  }
  return use;
}

template <class Setting>
void add(const char* workload, Then then, std::size_t n) {
  add_benchmark(fmt::format("service_memory/{}/{}/{}", Setting::name(), workload, n),
                [=](benchmark::State& state) {
                  for (auto _ : state) {
                    const Use use = in_child_process([=] { return use_of<Setting>(then, n); });
                    state.counters["bytes_empty"] = use.bytes_empty;
                    state.counters["bytes_per_timer"] = use.bytes_per_timer;
                    state.counters["allocations_per_operation"] = use.allocations_per_operation;
                    state.counters["operations"] = static_cast<double>(n);
                  }
                })
      ->Iterations(1);
}

void add_all() {
  for (const std::size_t n : {1'000U, 10'000U, 100'000U, 1'000'000U}) {
    for_each_type(ServiceSettings<SteadyClock>{}, [=]<class Setting>() {
      if constexpr (!Setting::kHasExecutor) {
        add<Setting>("pending", Then::stays, n);
        add<Setting>("after_cancel", Then::is_cancelled, n);
      }
    });
  }
}

}  // namespace
}  // namespace timers::benches

int main(int argc, char** argv) {
  mallopt(M_ARENA_MAX, 1);  // a single heap for all threads
  using namespace timers;
  benches::add_all();
  return benches::run_service_benchmarks<ServiceCatalog<SteadyClock>>(argc, argv);
}
