/// The cost of memory itself on this machine, to which the figures of queues can be compared.
///
///     floor/machine/dependent/1000000
///
/// An operation touches one of n cache lines (in append: 16 bytes after the last ones).
/// memory_touches.hpp says to which part of a queue each kind of touch corresponds. Pages have the
/// default size of the system, as those of the queues do, so the walk of the page table is
/// included.

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <chrono>
#include <cstddef>
#include <memory>
#include <vector>

#include "benches/harness/benchmarks.hpp"
#include "benches/harness/contest.hpp"
#include "benches/harness/machine/memory_touches.hpp"
#include "benches/harness/median.hpp"
#include "benches/workloads/catalog.hpp"
#include "impls/type_list.hpp"

namespace timers::benches {
namespace {

/// A turn makes whole passes over the lines, and at least so many touches: 0.1 ms or more.
constexpr std::size_t kLeastTouches = std::size_t{1} << 16;

/// Touches fresh lines in each turn. The first, untimed pass brings them into the cache.
template <class Touches>
class Toucher final : public Contestant {
 public:
  explicit Toucher(std::size_t n) : n_(n), passes_a_turn_((kLeastTouches + n - 1) / n) {}

  void take_turn(std::size_t, std::size_t) override {
    Touches touches(n_);
    make_passes(touches);
    const auto begin = std::chrono::steady_clock::now();
    make_passes(touches);
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
    touches.prove(2 * passes_a_turn_);
    seconds_.push_back(taken.count());
  }

  void report(benchmark::State& state) const override {
    const double seconds = median_of(seconds_);
    const auto touches = static_cast<double>(passes_a_turn_ * n_);
    state.SetIterationTime(seconds);
    state.counters["segments"] = static_cast<double>(seconds_.size());
    state.counters["operations"] = touches;
    state.counters["ns_per_operation"] = seconds * 1e9 / touches;
  }

 private:
  void make_passes(Touches& touches) const {
    for (std::size_t pass = 0; pass < passes_a_turn_; ++pass) {
      touches.pass();
      benchmark::DoNotOptimize(touches);  // All passes are alike: this prevents the compiler from
                                          // merging them.
      benchmark::ClobberMemory();
    }
  }

  std::size_t n_;
  std::size_t passes_a_turn_;
  std::vector<double> seconds_;  // one for each turn
};

void add_all() {
  constexpr std::size_t kLeastTurns = 5;
  for (std::size_t n = 1'000; n <= kLargest; n *= 10) {
    const auto contest = std::make_shared<Contest>([] { return Extent{1, kLeastTurns}; });
    for_each_type(TypeList<Dependent, Independent, Append, Stream>{}, [=]<class Touches>() {
      contest->add(fmt::format("floor/machine/{}/{}", Touches::name, n),
                   [=] { return std::make_unique<Toucher<Touches>>(n); });
    });
  }
}

}  // namespace
}  // namespace timers::benches

int main(int argc, char** argv) {
  timers::benches::add_all();
  return timers::benches::run_benchmarks(argc, argv);
}
