/// What a timer service costs those who call it, when 1, 2 or 4 of them do at once.
///
///     contention/hashed_wheel_timer/schedule_4/1000000
///
/// A service has n timers pending, due in one to two hours, so that nothing runs. Producers, each a
/// thread of its own, start together and schedule or cancel 200,000 timers between them. The figure
/// is the time on the wall from the first to the last call, by the number of calls: what one call
/// takes when one producer makes it, and the inverse of the throughput when several do. What they
/// leave to the threads of the service shows in the processor time of all, until nothing is left to
/// do. Services have their default options.

#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <malloc.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <latch>
#include <limits>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <thread>
#include <vector>

#include "benches/harness.hpp"
#include "benches/processor_time.hpp"
#include "benches/random.hpp"
#include "impls/catalog.hpp"
#include "impls/clock.hpp"

namespace timers::benches {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t kCalls = 200'000;

std::vector<Duration> random_delays(std::size_t count) {
  Random random(7);
  std::vector<Duration> delays(count);
  for (Duration& delay : delays) {
    delay = 1h + std::chrono::duration_cast<Duration>(1h * random.uniform());
  }
  return delays;
}

/// Leaves this thread with memory for so many timers that it has used before, as in a program whose
/// timers come and go: what is timed is the service, not the kernel that clears fresh pages.
void use_memory_of(std::size_t timers) {
  constexpr std::size_t kBytesOfTimer = 128;
  std::vector<std::unique_ptr<std::byte[]>> blocks(timers);
  for (auto& block : blocks) block = std::make_unique<std::byte[]>(kBytesOfTimer);
}

struct Cost {
  double wall_seconds;       // from the first call to the end of the last
  double processor_seconds;  // of all threads, until they have nothing left to do
};

/// Has `producers` threads go through equal parts of the calls at once. Each first does
/// `prepare(count)` for its part.
template <class Prepare, class Call>
Cost cost_of(std::size_t producers, Prepare prepare, Call call) {
  using Time = std::chrono::steady_clock::time_point;
  std::vector<Time> begins(producers);
  std::vector<Time> ends(producers);
  std::latch start(static_cast<std::ptrdiff_t>(producers) + 1);
  const auto produce = [&](std::size_t producer) {
    const std::size_t first = kCalls * producer / producers;
    const std::size_t end = kCalls * (producer + 1) / producers;
    prepare(end - first);
    start.arrive_and_wait();
    begins[producer] = std::chrono::steady_clock::now();
    for (std::size_t i = first; i < end; ++i) call(i);
    ends[producer] = std::chrono::steady_clock::now();
  };
  std::vector<std::jthread> threads;
  for (std::size_t producer = 0; producer < producers; ++producer) {
    threads.emplace_back(produce, producer);
  }
  const double before = processor_seconds_when_idle();
  start.arrive_and_wait();
  threads.clear();
  const double after = processor_seconds_when_idle();
  const Time begin = *std::min_element(begins.begin(), begins.end());
  const Time end = *std::max_element(ends.begin(), ends.end());
  return {std::chrono::duration<double>(end - begin).count(), after - before};
}

/// A service with `ballast` pending timers, and `kCalls` more to come.
template <class Service>
class Loaded {
 public:
  explicit Loaded(std::size_t ballast) : delays_(random_delays(ballast + kCalls)) {
    mallopt(M_TRIM_THRESHOLD, std::numeric_limits<int>::max());  // Memory that was freed stays.
    handles_.resize(delays_.size());
    for (std::size_t i = kCalls; i < delays_.size(); ++i) schedule(i);
  }

  void schedule(std::size_t i) {
    handles_[i] = service_.schedule(delays_[i], [] {});
  }
  bool cancel(std::size_t i) { return service_.cancel(handles_[i]) == CancelResult::cancelled; }

  /// Throws if another number is pending, or comes back.
  void prove(std::size_t expected) {
    const std::size_t pending = service_.pending();
    const std::size_t returned = service_.stop().size();
    if (pending == expected && returned == expected) return;
    throw std::runtime_error(fmt::format("{} timers should be pending: {} are, and stop returns {}",
                                         expected, pending, returned));
  }

 private:
  std::vector<Duration> delays_;
  SteadyClock clock_;
  Service service_{clock_};
  std::vector<typename Service::Handle> handles_;
};

void report(benchmark::State& state, const Cost& cost) {
  const auto ns_a_call = [](double seconds) { return seconds * 1e9 / static_cast<double>(kCalls); };
  state.SetIterationTime(cost.wall_seconds);
  state.counters["ns_per_operation"] = ns_a_call(cost.wall_seconds);
  state.counters["cpu_ns_per_operation"] = ns_a_call(cost.processor_seconds);
  state.counters["operations"] = static_cast<double>(kCalls);
}

template <class Service>
void measure_schedule(benchmark::State& state, std::size_t producers, std::size_t n) {
  for (auto _ : state) {
    Loaded<Service> loaded(n);
    report(state, cost_of(producers, &use_memory_of, [&](std::size_t i) { loaded.schedule(i); }));
    loaded.prove(n + kCalls);
  }
}

template <class Service>
void measure_cancel(benchmark::State& state, std::size_t producers, std::size_t n) {
  std::vector<std::size_t> order(kCalls);
  std::iota(order.begin(), order.end(), std::size_t{0});
  Random random(11);
  shuffle(order, random);
  const auto nothing = [](std::size_t) {};
  for (auto _ : state) {
    Loaded<Service> loaded(n);
    for (std::size_t i = 0; i < kCalls; ++i) loaded.schedule(i);
    std::atomic<std::size_t> refused = 0;
    report(state, cost_of(producers, nothing, [&](std::size_t i) {
             if (!loaded.cancel(order[i])) ++refused;
           }));
    if (refused > 0) throw std::runtime_error(fmt::format("{} were not cancelled", refused.load()));
    loaded.prove(n);
  }
}

template <class Service>
void add(std::size_t producers, std::size_t n) {
  const auto name = [=](const char* verb) {
    return fmt::format("contention/{}/{}_{}/{}", Service::name, verb, producers, n);
  };
  add_benchmark(name("schedule"),
                [=](benchmark::State& state) { measure_schedule<Service>(state, producers, n); })
      ->UseManualTime()
      ->Iterations(1);
  add_benchmark(name("cancel"),
                [=](benchmark::State& state) { measure_cancel<Service>(state, producers, n); })
      ->UseManualTime()
      ->Iterations(1);
}

void add_all() {
  for (const std::size_t n : {1'000U, 1'000'000U}) {
    for (const std::size_t producers : {1U, 2U, 4U}) {
      for_each_type(TimerServices<SteadyClock>{},
                    [=]<class Service>() { add<Service>(producers, n); });
    }
  }
}

}  // namespace
}  // namespace timers::benches

int main(int argc, char** argv) {
  timers::benches::add_all();
  return timers::benches::run_benchmarks(argc, argv);
}
