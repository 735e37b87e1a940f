/// What a timer service costs those who call it, when 1, 2, 4 or 8 of them do at once.
///
///     contention/hashed_wheel_timer/schedule_4/1000000
///
/// A service has n timers pending, due in one to two hours, so that nothing runs. Producers, each a
/// thread of its own, start together and make 200,000 calls between them. The figure is the time on
/// the wall from the first to the last call, by the number of calls: what one call takes when one
/// producer makes it, and the inverse of the throughput when several do. What they leave to the
/// threads of the service shows in the processor time of all, until nothing is left to do, and in
/// how often these threads slept and were woken, for a deadline or for a lock.
///
/// A second pass, on a service of its own, times some of the calls one by one: p99_ns. So the clock
/// is not read in the pass of which the figure is. Services have their default options.

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <latch>
#include <memory>
#include <numeric>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "benches/harness/benchmarks.hpp"
#include "benches/harness/quantiles.hpp"
#include "benches/harness/services/loaded_service.hpp"
#include "benches/harness/services/other_threads.hpp"
#include "benches/harness/services/processor_time.hpp"
#include "benches/harness/services/schedule_plan.hpp"
#include "benches/harness/services/service_benchmarks.hpp"
#include "benches/workloads/random.hpp"
#include "impls/catalog.hpp"
#include "impls/clocks/clock.hpp"
#include "impls/clocks/instant.hpp"

namespace timers::benches {
namespace {

using namespace std::chrono_literals;
using Time = std::chrono::steady_clock::time_point;

constexpr std::size_t kCalls = 200'000;
constexpr std::size_t kTimedOneIn = 7;

constexpr Part part_of(std::size_t producer, std::size_t producers) {
  return {kCalls * producer / producers, kCalls * (producer + 1) / producers};
}

/// Leaves this thread with memory for so many timers that it has used before, as in a program whose
/// timers come and go: what is timed is the service, not the kernel that clears fresh pages.
void use_memory_of(std::size_t timers) {
  constexpr std::size_t kBytesOfTimer = 128;
  std::vector<std::unique_ptr<std::byte[]>> blocks(timers);
  for (auto& block : blocks) block = std::make_unique<std::byte[]>(kBytesOfTimer);
}

/// The delays of all calls, of which the producers make the first ones together, then the second
/// ones, and so on.
template <class Workload>
std::vector<Duration> delays_of(std::size_t producers) {
  Random random(7);
  std::vector<Duration> delays(kCalls);
  for (std::size_t producer = 0; producer < producers; ++producer) {
    const Part part = part_of(producer, producers);
    for (std::size_t i = part.first; i < part.end; ++i) {
      delays[i] = Workload::delay((i - part.first) * producers + producer, random);
    }
  }
  return delays;
}

/// All calls; those of each producer among themselves in random order.
std::vector<std::size_t> random_order(std::size_t producers) {
  Random random(11);
  std::vector<std::size_t> order;
  for (std::size_t producer = 0; producer < producers; ++producer) {
    const Part part = part_of(producer, producers);
    std::vector<std::size_t> of_part(part.end - part.first);
    std::iota(of_part.begin(), of_part.end(), part.first);
    shuffle(of_part, random);
    order.insert(order.end(), of_part.begin(), of_part.end());
  }
  return order;
}

/// A workload: the delays of its timers, what a producer does before its first call, and a call.
/// This one schedules.
struct Schedule {
  static constexpr const char* name = "schedule";
  static constexpr bool kStay = true;  // Its timers are pending in the end.

  static Duration delay(std::size_t /*rank*/, Random& random) {
    return in_one_to_two_hours(random);
  }

  template <class Service>
  static std::unique_ptr<Neighbour> prepare(Loaded<Service>&, Part part) {
    use_memory_of(part.end - part.first);
    return nullptr;
  }
  template <class Service>
  static void call(Loaded<Service>& loaded, std::size_t i) {
    loaded.schedule(i);
  }
};

/// Each timer is due after all that its producer scheduled so far, and after those of the others
/// unless they are ahead.
struct Ascending : Schedule {
  static constexpr const char* name = "ascending";
  static Duration delay(std::size_t rank, Random&) { return 2h + rank * 1ms; }
};

/// Each timer is due before all that its producer scheduled so far, and before those of the others
/// unless they are ahead. The first ones are due before all that was pending.
struct Descending : Schedule {
  static constexpr const char* name = "descending";
  static Duration delay(std::size_t rank, Random&) { return 50min - rank * 1ms; }
};

/// A call is both, of one timer.
struct ScheduleAndCancel : Schedule {
  static constexpr const char* name = "schedule_cancel";
  static constexpr bool kStay = false;

  template <class Service>
  static void call(Loaded<Service>& loaded, std::size_t i) {
    loaded.schedule(i);
    loaded.cancel(i);
  }
};

/// Each producer cancels what it scheduled, in random order.
struct CancelOwn : Schedule {
  static constexpr const char* name = "cancel";
  static constexpr bool kStay = false;

  template <class Service>
  static std::unique_ptr<Neighbour> prepare(Loaded<Service>& loaded, Part part) {
    loaded.schedule(part);
    return nullptr;
  }
  template <class Service>
  static void call(Loaded<Service>& loaded, std::size_t i) {
    loaded.cancel_in_random_order(i);
  }
};

/// Each producer cancels what another thread scheduled, which waits.
struct CancelOther : CancelOwn {
  static constexpr const char* name = "cancel_other";

  template <class Service>
  static std::unique_ptr<Neighbour> prepare(Loaded<Service>& loaded, Part part) {
    return std::make_unique<Neighbour>(loaded, part);
  }
};

using Workloads =
    TypeList<Schedule, Ascending, Descending, CancelOwn, CancelOther, ScheduleAndCancel>;

struct Cost {
  double wall_seconds;       // from the first call to the end of the last
  double processor_seconds;  // of all threads, until they have nothing left to do
  std::uint64_t wakes;       // of the threads of the service
  std::vector<Duration> calls;
};

enum class Timed { together, one_by_one };

/// The calls of a part, and how long some of them took if they are to be timed.
template <Timed kTimed, class Workload, class Service>
void make_calls(Loaded<Service>& loaded, Part part, std::span<Duration> times) {
  for (std::size_t i = part.first; i < part.end; ++i) {
    const bool is_timed = kTimed == Timed::one_by_one && i % kTimedOneIn == 0;
    const Time begin = is_timed ? std::chrono::steady_clock::now() : Time{};
    Workload::call(loaded, i);
    if (is_timed) times[i / kTimedOneIn] = std::chrono::steady_clock::now() - begin;
  }
}

/// Has the producers make their calls at once.
template <Timed kTimed, class Workload, class Service>
Cost cost_of(Loaded<Service>& loaded, std::size_t producers) {
  std::vector<Time> begins(producers);
  std::vector<Time> ends(producers);
  std::vector<Duration> times(kTimed == Timed::one_by_one ? (kCalls - 1) / kTimedOneIn + 1 : 0);
  std::latch start(static_cast<std::ptrdiff_t>(producers) + 1);
  const auto produce = [&](std::size_t producer) {
    const Part part = part_of(producer, producers);
    const auto neighbour = Workload::prepare(loaded, part);
    start.arrive_and_wait();
    begins[producer] = std::chrono::steady_clock::now();
    make_calls<kTimed, Workload>(loaded, part, times);
    ends[producer] = std::chrono::steady_clock::now();
  };
  const OtherThreads of_service;
  std::vector<std::jthread> threads;
  for (std::size_t producer = 0; producer < producers; ++producer) {
    threads.emplace_back(produce, producer);
  }
  const double before = processor_seconds_when_idle();
  const std::uint64_t sleeps_before = of_service.sleeps();
  start.arrive_and_wait();
  threads.clear();
  const double after = processor_seconds_when_idle();
  const Time begin = *std::min_element(begins.begin(), begins.end());
  const Time end = *std::max_element(ends.begin(), ends.end());
  return {.wall_seconds = std::chrono::duration<double>(end - begin).count(),
          .processor_seconds = after - before,
          .wakes = of_service.sleeps() - sleeps_before,
          .calls = std::move(times)};
}

template <class Service, class Workload, Timed kTimed>
Cost pass(std::size_t producers, std::size_t n) {
  Loaded<Service> loaded(n, delays_of<Workload>(producers), random_order(producers));
  Cost cost = cost_of<kTimed, Workload>(loaded, producers);
  loaded.prove(Workload::kStay ? n + kCalls : n);
  return cost;
}

template <class Service, class Workload>
void measure(benchmark::State& state, std::size_t producers, std::size_t n) {
  for (auto _ : state) {
    const auto together = pass<Service, Workload, Timed::together>(producers, n);
    const auto one_by_one = pass<Service, Workload, Timed::one_by_one>(producers, n);
    constexpr auto kOperations = static_cast<double>(kCalls);
    state.SetIterationTime(together.wall_seconds);
    state.counters["ns_per_operation"] = together.wall_seconds * 1e9 / kOperations;
    state.counters["cpu_ns_per_operation"] = together.processor_seconds * 1e9 / kOperations;
    state.counters["wakes_per_operation"] = static_cast<double>(together.wakes) / kOperations;
    state.counters["p99_ns"] = Quantiles(one_by_one.calls).quantile_ns(0.99);
    state.counters["operations"] = kOperations;
  }
}

template <class Service, class Workload>
void add(std::size_t producers, std::size_t n) {
  const std::string name =
      fmt::format("contention/{}/{}_{}/{}", Service::name, Workload::name, producers, n);
  add_single_run(name,
                 [=](benchmark::State& state) { measure<Service, Workload>(state, producers, n); });
}

void add_all() {
  for (const std::size_t n : {1'000U, 1'000'000U}) {
    for (const std::size_t producers : {1U, 2U, 4U, 8U}) {
      for_each_type(Workloads{}, [=]<class Workload>() {
        for_each_type(ServiceSettings<SteadyClock>{}, [=]<class Setting>() {
          if constexpr (Setting::kIsDefault) add<typename Setting::Service, Workload>(producers, n);
        });
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
