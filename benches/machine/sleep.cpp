/// How late a thread wakes that only sleeps until a deadline: this is the floor of the lateness of
/// every timer. Besides, what it costs another thread to wake this thread early.
///
///     sleep/futex/1ms/1000
///
/// n times the thread sets a deadline this far ahead. The lateness is from the deadline to the
/// moment at which the thread reads the clock again; the figure is its median. Then, if this way to
/// sleep allows it, another thread wakes this thread n times from a sleep that would last an hour.

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <thread>
#include <utility>
#include <vector>

#include "benches/harness/benchmarks.hpp"
#include "benches/harness/machine/ways_to_sleep.hpp"
#include "benches/harness/quantiles.hpp"
#include "impls/type_list.hpp"

namespace timers::benches {
namespace {

using namespace std::chrono_literals;

template <class Way>
Quantiles lateness_of(Way& way, Duration ahead, std::size_t n) {
  const SteadyClock clock;
  std::vector<Duration> late(n);
  for (Duration& of_one : late) {
    const Instant deadline = clock.now() + ahead;
    way.sleep_until(deadline);
    of_one = clock.now() - deadline;
  }
  return Quantiles(std::move(late));
}

struct Wakes {
  Quantiles calls;   // of the thread that wakes the other one
  Quantiles delays;  // from the call to the moment at which the woken thread runs
};

template <class Way>
Wakes wakes_of(Way& way, std::size_t n) {
  constexpr Duration kFallsAsleepIn = 50us;
  const SteadyClock clock;
  std::vector<Instant> begins(n);
  std::vector<Instant> ends(n);
  std::vector<Instant> woken(n);
  std::atomic<std::size_t> sleeps = 0;
  {
    std::jthread waker([&] {
      for (std::size_t i = 0; i < n; ++i) {
        while (sleeps.load() <= i) std::this_thread::yield();
        const Instant asleep = clock.now() + kFallsAsleepIn;
        while (clock.now() < asleep) {
        }
        begins[i] = clock.now();
        way.wake();
        ends[i] = clock.now();
      }
    });
    for (std::size_t i = 0; i < n; ++i) {
      sleeps.store(i + 1);
      way.sleep_until(clock.now() + 1h);
      woken[i] = clock.now();
    }
  }
  std::vector<Duration> calls(n);
  std::vector<Duration> delays(n);
  for (std::size_t i = 0; i < n; ++i) {
    calls[i] = ends[i] - begins[i];
    delays[i] = woken[i] - begins[i];
  }
  return {Quantiles(std::move(calls)), Quantiles(std::move(delays))};
}

template <class Way>
void measure_sleep(benchmark::State& state, Duration ahead, std::size_t n) {
  for (auto _ : state) {
    Way way;
    const Quantiles late = lateness_of(way, ahead, n);
    late.prove("woke before its deadline");
    state.SetIterationTime(late.quantile_ns(0.5) * 1e-9);
    state.counters["ns_per_operation"] = late.quantile_ns(0.5);
    state.counters["operations"] = static_cast<double>(n);
    state.counters["p99_ns"] = late.quantile_ns(0.99);
    state.counters["p999_ns"] = late.quantile_ns(0.999);
    state.counters["worst_ns"] = late.quantile_ns(1);
    if constexpr (requires { way.wake(); }) {
      const Wakes wakes = wakes_of(way, n);
      wakes.delays.prove("woke before it was woken");
      state.counters["wake_call_ns"] = wakes.calls.quantile_ns(0.5);
      state.counters["woken_after_ns"] = wakes.delays.quantile_ns(0.5);
    }
  }
}

template <class Way>
void add(const char* workload, Duration ahead, std::size_t n) {
  add_single_run(fmt::format("sleep/{}/{}/{}", Way::name, workload, n),
                 [=](benchmark::State& state) { measure_sleep<Way>(state, ahead, n); });
}

using Ways = TypeList<NanosleepWithSlack<kDefaultSlack>, NanosleepWithSlack<kLeastSlack>,
                      ConditionVariable, TimerFd, Futex>;

void add_all() {
  for (const std::size_t n : {1'000U, 10'000U}) {
    for_each_type(Ways{}, [=]<class Way>() {
      add<Way>("100us", 100us, n);
      add<Way>("1ms", 1ms, n);
    });
  }
}

}  // namespace
}  // namespace timers::benches

int main(int argc, char** argv) {
  timers::benches::add_all();
  return timers::benches::run_benchmarks(argc, argv);
}
