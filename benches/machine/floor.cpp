/// What memory itself costs on this machine, for the figures of queues to be held against.
///
///     floor/machine/dependent/1000000
///
/// An operation is a touch of one among n cache lines (append: of 16 bytes behind the last). What
/// each kind of touch stands for in a queue is said in memory_touches.hpp. Pages have the size that
/// the system gives unasked, as those of the queues do, so that the walk of the page table is
/// included.

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <chrono>
#include <cstddef>

#include "benches/harness/benchmarks.hpp"
#include "benches/harness/machine/memory_touches.hpp"
#include "benches/workloads/catalog.hpp"
#include "impls/type_list.hpp"

namespace timers::benches {
namespace {

/// An iteration makes whole passes, and at least so many touches: a millisecond or more.
constexpr std::size_t kLeastTouches = std::size_t{1} << 21;

template <class Touches>
void measure_touches(benchmark::State& state, std::size_t n) {
  Touches touches(n);
  const std::size_t passes_an_iteration = (kLeastTouches + n - 1) / n;
  std::size_t passes = 0;
  double seconds = 0;
  for (auto _ : state) {
    const auto begin = std::chrono::steady_clock::now();
    for (std::size_t pass = 0; pass < passes_an_iteration; ++pass) {
      touches.pass();
      benchmark::DoNotOptimize(touches);  // The passes are alike: none may stand for the others.
      benchmark::ClobberMemory();
    }
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
    state.SetIterationTime(taken.count());
    seconds += taken.count();
    passes += passes_an_iteration;
  }
  touches.prove(passes);
  state.counters["ns_per_operation"] = seconds * 1e9 / static_cast<double>(passes * n);
  state.counters["operations"] = static_cast<double>(passes_an_iteration * n);
}

template <class Touches>
void add(std::size_t n) {
  add_benchmark(fmt::format("floor/machine/{}/{}", Touches::name, n), [n](benchmark::State& state) {
    measure_touches<Touches>(state, n);
  })->UseManualTime();
}

void add_all() {
  for (std::size_t n = 1'000; n <= kLargest; n *= 10) {
    for_each_type(TypeList<Dependent, Independent, Append, Stream>{},
                  [=]<class Touches>() { add<Touches>(n); });
  }
}

}  // namespace
}  // namespace timers::benches

int main(int argc, char** argv) {
  timers::benches::add_all();
  return timers::benches::run_benchmarks(argc, argv);
}
