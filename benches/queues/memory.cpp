/// The memory of a queue: bytes and allocations, counted and not timed.
///
///     memory/min_heap/uniform/1000000
///
/// n timers are set with delays uniform over an hour, in ticks of 1 ms, and cancelled in random
/// order. For n up to a million there is a second part: n / 2 timers are pending while 2 n are set
/// an hour ahead and cancelled, which shows whether dead timers are left behind. Then other timers
/// are cancelled or expire. memory_use.hpp explains the counters. Every run has the same random
/// numbers, so one iteration is enough.

#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <malloc.h>

#include <cstddef>
#include <future>

#include "benches/harness/benchmarks.hpp"
#include "benches/harness/queues/memory_use.hpp"
#include "benches/harness/queues/queue_benchmarks.hpp"
#include "benches/queues/measured/field.hpp"
#include "benches/queues/measured/queues.hpp"
#include "benches/workloads/catalog.hpp"

namespace timers::benches {
namespace {

void report(benchmark::State& state, const MemoryUse& use) {
  state.counters["bytes_empty"] = use.bytes_empty;
  state.counters["bytes_per_timer"] = use.bytes_per_timer;
  state.counters["peak_bytes_per_timer"] = use.peak_bytes_per_timer;
  state.counters["residue_bytes"] = use.residue_bytes;
  state.counters["leak_bytes_per_operation"] = use.leak_bytes_per_operation;
  state.counters["allocations_per_operation"] = use.allocations_per_operation;
}

/// Runs on a thread of its own. When the thread ends, glibc releases the blocks that it caches for
/// the thread. So each case begins with the same heap, whatever ran before.
template <TimerQueue Queue>
MemoryUse memory_use_apart(std::size_t n) {
  malloc_trim(0);
  return std::async(std::launch::async, memory_use<Queue>, n).get();
}

template <TimerQueue Queue>
void add(std::size_t n) {
  add_benchmark(fmt::format("memory/{}/uniform/{}", Queue::name, n), [n](benchmark::State& state) {
    for (auto _ : state) report(state, memory_use_apart<Queue>(n));
  })->Iterations(1);
}

void add_all() {
  for (std::size_t n = 1'000; n <= kLargest; n *= 10) {
    for_each_type(MeasuredQueues{}, [=]<class Queue>() { add<Queue>(n); });
  }
}

}  // namespace
}  // namespace timers::benches

int main(int argc, char** argv) {
  mallopt(M_ARENA_MAX, 1);  // a single heap for all threads
  using namespace timers::benches;
  add_all();
  return run_queue_benchmarks(argc, argv);
}
