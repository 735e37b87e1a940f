/// How many instructions an operation takes: a figure that the load of the machine does not change.
///
///     churn/hierarchical_wheel/rpc/1000
///
/// Callgrind counts the measured part of one pass, proved as everywhere; scripts/instructions.py
/// runs this program under valgrind, and reads what was counted for each benchmark. The queue
/// `no_queue` does nothing: what it takes is what the harness itself costs. Without valgrind the
/// same parts are timed; those of the harness alone by
///
///     instructions --time-harness

#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <valgrind/callgrind.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "benches/harness/queues/queue_benchmarks.hpp"
#include "benches/queues/measured_queues.hpp"
#include "benches/workloads/catalog.hpp"

namespace timers::benches {
namespace {

struct Counted {
  const char* bench;
  const char* workload;
  Schedule (*make)(std::size_t timers, std::uint64_t seed);
  std::size_t timers;
};

/// At least one for each verb and each population. Among 100'000 timers within a minute nearly each
/// tick has its expiries, among 10'000 most have none.
constexpr Counted kCounted[] = {
    {"insert", "warm", &insert_warm, 1'000},
    {"insert", "warm", &insert_warm, 10'000},
    {"cancel", "random", &cancel_random, 1'000},
    {"cancel", "random", &cancel_random, 10'000},
    {"expire", "uniform", &expire_within_a_minute, 10'000},
    {"expire", "uniform", &expire_within_a_minute, 100'000},
    {"churn", "rpc", &rpc, 1'000},
    {"churn", "rpc", &rpc, 10'000},
    {"churn", "retry", &retry, 1'000},
    {"churn", "retry", &retry, 10'000},
    {"rearm", "idle", &idle, 1'000},
    {"rearm", "idle", &idle, 10'000},
    {"rearm", "raft", &raft, 1'000},
    {"rearm", "raft", &raft, 10'000},
    {"burst", "edges", &edges, 1'000},
    {"burst", "edges", &edges, 10'000},
};

/// Where the harness is counted alone. An operation is a verb here: an insert; or, with its proof
/// and its share of the ticks, half of a call of rpc.
constexpr Counted kHarness[] = {
    {"insert", "warm", &insert_warm, 10'000},
    {"churn", "rpc", &rpc, 10'000},
};

/// Takes what it is given, as a queue does, and forgets it.
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
  /// Has the value in a register. What the harness keeps in memory may have changed after it, as
  /// far as the compiler knows: a queue writes to memory.
  static void take(std::uint64_t value) { asm volatile("" : : "r"(value) : "memory"); }
};
static_assert(TimerQueue<NoQueue> && CanRearm<NoQueue>);

/// Takes the measured steps in one go, counted under this name; returns the seconds. Without
/// valgrind its requests are a few instructions that do nothing.
struct CountedSteps {
  const std::string& name;
  std::size_t end;

  template <class AnyPlayback, class Witness>
  [[gnu::flatten]] double operator()(AnyPlayback& replay,
                                     Witness& witness) const {  // as all timing
    const auto begin = std::chrono::steady_clock::now();
    CALLGRIND_START_INSTRUMENTATION;
    CALLGRIND_ZERO_STATS;
    replay.run_until(end, witness);
    CALLGRIND_STOP_INSTRUMENTATION;
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
    CALLGRIND_DUMP_STATS_AT(name.c_str());
    return taken.count();
  }
};

struct CountedPass {
  double seconds;
  std::uint64_t expiries;
};

template <TimerQueue Queue>
CountedPass counted_pass(const Input& input, const CountedSteps& run) {
  constexpr Seconds kSetUpBudget{120};
  const Schedule& schedule = input.schedules.front();
  Pass<Queue> pass(schedule);
  run_in_budget(pass.playback(), schedule.measured_begin, kSetUpBudget, pass.prover());
  if (pass.playback().position() != schedule.measured_begin) {
    throw std::runtime_error("what precedes the measured steps takes too long");
  }
  const std::uint64_t before = pass.prover().proof().expiries;
  const double seconds = run(pass.playback(), pass.prover());
  const std::uint64_t expiries = pass.prover().proof().expiries - before;
  pass.finish(input.expected.front());
  return {seconds, expiries};
}

/// Nothing can be proved of a queue that does nothing.
template <>
CountedPass counted_pass<NoQueue>(const Input& input, const CountedSteps& run) {
  Playback<NoQueue> replay(input.schedules.front());
  Prover prover;
  replay.run_until(input.schedules.front().measured_begin, prover);
  const double seconds = run(replay, prover);
  benchmark::DoNotOptimize(prover.proof());
  return {seconds, prover.proof().expiries};
}

/// The fastest pass counts: the load of the machine only ever adds.
template <TimerQueue Queue>
void count(benchmark::State& state, const std::string& name, const Input& input) {
  double fastest = std::numeric_limits<double>::infinity();
  double operations = 0;
  for (auto _ : state) {
    const Schedule& schedule = input.schedules.front();
    const CountedPass pass = counted_pass<Queue>(input, {name, schedule.measured_end});
    state.SetIterationTime(pass.seconds);
    fastest = std::min(fastest, pass.seconds);
    operations = static_cast<double>(
        schedule.operations_between(schedule.measured_begin, schedule.measured_end, pass.expiries));
  }
  state.counters["operations"] = operations;
  state.counters["ns_per_operation"] = fastest * 1e9 / operations;
}

template <TimerQueue Queue>
void add(const Counted& counted, const std::shared_ptr<LazyInput>& input) {
  const std::string name =
      fmt::format("{}/{}/{}/{}", counted.bench, Queue::name, counted.workload, counted.timers);
  benchmark::internal::Benchmark* const added = add_benchmark(
      name, [=](benchmark::State& state) { count<Queue>(state, name, input->get()); });
  added->UseManualTime();
  if (RUNNING_ON_VALGRIND) added->Iterations(1);
}

void add_all() {
  for (const Counted& counted : kHarness) {
    add<NoQueue>(counted, std::make_shared<LazyInput>([=] {
                   Schedule schedule = counted.make(counted.timers, 1);
                   schedule.counted = Operation::verb;
                   return std::vector{schedule};
                 }));
  }
  for (const Counted& counted : kCounted) {
    const auto input =
        std::make_shared<LazyInput>([=] { return std::vector{counted.make(counted.timers, 1)}; });
    for_each_type(MeasuredQueues{}, [&]<class Queue>() { add<Queue>(counted, input); });
  }
}

}  // namespace
}  // namespace timers::benches

int main(int argc, char** argv) {
  timers::benches::add_all();
  static char only_the_harness[] = "--benchmark_filter=/no_queue/";
  for (char** argument = argv; argument != argv + argc; ++argument) {
    if (std::string_view(*argument) == "--time-harness") *argument = only_the_harness;
  }
  return timers::benches::run_benchmarks(argc, argv);
}
