#pragma once

/// Benchmarks that callgrind counts: each runs a queue on an input, in a process of its own.

#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <valgrind/callgrind.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "benches/harness/benchmarks.hpp"
#include "benches/harness/child_process.hpp"
#include "benches/harness/queues/counted_pass.hpp"
#include "benches/harness/queues/playback.hpp"
#include "benches/workloads/schedule.hpp"
#include "impls/timer_queue.hpp"

namespace timers::benches {

/// Accepts its arguments as a queue does, and forgets them. Its cost is the cost of the harness.
class NoQueue {
 public:
  using Task = benches::Task;
  using Handle = Tick;
  static constexpr std::string_view name = "no_queue";

  Handle insert(Tick deadline, Task task) {
    take(task);
    return deadline;
  }
  bool cancel(Handle handle) {
    take(handle);
    return true;
  }
  bool rearm(Handle handle, Tick deadline) {
    take(handle);
    take(deadline);
    return true;
  }
  template <class OnExpiry>
  std::size_t expire(Tick now, OnExpiry /*on_expiry*/) {
    take(now);
    return 0;
  }
  std::size_t size() const { return 0; }

 private:
  /// Forces the value into a register. The compiler must assume that the memory of the harness has
  /// changed after this: a queue also writes to memory.
  static void take(std::uint64_t value) { asm volatile("" : : "r"(value) : "memory"); }
};
static_assert(TimerQueue<NoQueue> && CanRearm<NoQueue>);

/// The input of a case. It is made when the first benchmark of the case runs.
class CountedCase {
 public:
  explicit CountedCase(std::function<Schedule()> make) : make_(std::move(make)) {}

  const CountedInput& input() {
    if (!input_) input_.emplace(make_());
    return *input_;
  }

 private:
  std::function<Schedule()> make_;
  std::optional<CountedInput> input_;
};

/// Counts one pass of a fresh queue. Throws if the queue was wrong, unless it was too slow to be
/// counted. NoQueue is not checked: it runs no timer.
template <class Queue, class Way>
Count counted_pass(const CountedInput& input, const std::string& name, const Way& way) {
  warm_code<Queue>(input, way);
  CountedPass<Queue> pass(input);
  const Count count = pass.count(name, way);
  if constexpr (!std::is_same_v<Queue, NoQueue>) {
    if (count.operations > 0) pass.check(way);
  }
  return count;
}

/// The body of a benchmark. Without valgrind the fastest pass counts, because the load of the
/// machine can only add time.
template <class Queue, class Way>
void count(benchmark::State& state, const CountedInput& input, const std::string& name,
           const Way& way) {
  double operations = 0;
  double fastest = std::numeric_limits<double>::infinity();
  for (auto _ : state) {
    const Count pass = in_child_process([&] { return counted_pass<Queue>(input, name, way); });
    state.SetIterationTime(pass.seconds);
    operations = static_cast<double>(pass.operations);
    fastest = std::min(fastest, pass.seconds);
  }
  state.counters["operations"] = operations;
  if (operations > 0) state.counters["ns_per_operation"] = fastest * 1e9 / operations;
}

/// Adds a benchmark of this queue. `way_of(schedule)` is the way through the steps.
template <class Queue, class WayOf>
void add_counted(const std::string& bench, const std::string& name,
                 const std::shared_ptr<CountedCase>& of, WayOf way_of) {
  const std::string whole = fmt::format("{}/{}/{}", bench, Queue::name, name);
  benchmark::internal::Benchmark* const added = add_benchmark(whole, [=](benchmark::State& state) {
    count<Queue>(state, of->input(), whole, way_of(of->input().schedule));
  });
  added->UseManualTime();
  if (RUNNING_ON_VALGRIND) added->Iterations(1);
}

}  // namespace timers::benches
