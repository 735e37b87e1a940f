/// What an operation takes on a simulated machine, which no neighbour disturbs: instructions,
/// misses of the caches, and branches that are predicted wrong.
///
///     churn/hierarchical_wheel/rpc/1000
///
/// Callgrind counts a window of the measured steps of each benchmark of queues, of up to 100'000
/// timers, proved as everywhere. scripts/simulate.py runs this program under valgrind, once for
/// each case, and reads what was counted. Each queue has a process of its own, so that it finds the
/// same memory whatever other queues are counted. The queue `no_queue` does nothing: what it takes
/// is what the harness itself costs. Without valgrind the same parts are timed; those of the
/// harness alone by
///
///     simulated --benchmark_filter=/no_queue/

#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <valgrind/callgrind.h>

#include <algorithm>
#include <array>
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
#include "benches/queues/measured/field.hpp"
#include "benches/queues/measured/queues.hpp"
#include "benches/traces/recordings.hpp"
#include "benches/traces/trace.hpp"
#include "benches/workloads/catalog.hpp"
#include "benches/workloads/schedule.hpp"
#include "impls/timer_queue.hpp"
#include "impls/type_list.hpp"

namespace timers::benches {
namespace {

constexpr std::size_t kFewestTimers = 1'000;
constexpr std::size_t kMostTimers = 100'000;
constexpr std::uint64_t kSeed = 1;

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

/// What all queues are counted on.
struct Case {
  std::string bench;
  std::string name;  // workload/n, or a recording
  std::function<Schedule()> make;
};

/// The input of a case, made when a benchmark of it is the first to run.
class InputOfCase {
 public:
  explicit InputOfCase(std::function<Schedule()> make) : make_(std::move(make)) {}

  const CountedInput& get() {
    if (!input_) input_.emplace(make_());
    return *input_;
  }

 private:
  std::function<Schedule()> make_;
  std::optional<CountedInput> input_;
};

/// Throws if the queue was wrong. Nothing can be proved of one that does nothing.
template <TimerQueue Queue, class Way>
Count counted_pass(const CountedInput& input, const std::string& name, const Way& way) {
  warm_code<Queue>(input, way);
  CountedPass<Queue> pass(input);
  const Count count = pass.count(name, way);
  if constexpr (!std::is_same_v<Queue, NoQueue>) {
    if (count.operations > 0) pass.check(way);
  }
  return count;
}

/// The body of a benchmark. Without valgrind the fastest pass counts: the load of the machine only
/// ever adds.
template <TimerQueue Queue, class Way>
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

template <TimerQueue Queue, class Way>
void add(const Case& of, const std::shared_ptr<InputOfCase>& input) {
  const std::string name = fmt::format("{}/{}/{}", of.bench, Queue::name, of.name);
  benchmark::internal::Benchmark* const added = add_benchmark(name, [=](benchmark::State& state) {
    count<Queue>(state, input->get(), name, Way(input->get().schedule));
  });
  added->UseManualTime();
  if (RUNNING_ON_VALGRIND) added->Iterations(1);
}

template <class Way = CountSteps>
void add_queues(const Case& of) {
  const auto input = std::make_shared<InputOfCase>([make = of.make] {
    Schedule schedule = make();
    Way::cut(schedule);
    return schedule;
  });
  for_each_type(MeasuredQueues{}, [&]<class Queue>() {
    if constexpr (Way::template kCanTake<Queue>) add<Queue, Way>(of, input);
  });
}

/// Of a queue that does nothing an operation is a verb: an insert; or, with its proof and its share
/// of the ticks, half of a call of rpc.
void add_harness(const Case& of) {
  add<NoQueue, CountSteps>(of, std::make_shared<InputOfCase>([make = of.make] {
                             Schedule schedule = make();
                             schedule.counted = Operation::verb;
                             CountSteps::cut(schedule);
                             return schedule;
                           }));
}

template <class Way = CountSteps, std::size_t Count>
void add_workloads(const char* bench, const std::array<Workload, Count>& workloads) {
  for (const Workload& workload : workloads) {
    for (std::size_t n = std::max(workload.smallest, kFewestTimers); n <= kMostTimers; n *= 10) {
      add_queues<Way>(
          {bench, fmt::format("{}/{}", workload.name, n), [=] { return workload.make(n, kSeed); }});
    }
  }
}

void add_all() {
  add_harness({"insert", "warm/10000", [] { return insert_warm(10'000, kSeed); }});
  add_harness({"churn", "rpc/10000", [] { return rpc(10'000, kSeed); }});
  add_workloads("insert", kInsert);
  add_workloads("cancel", kCancel);
  add_workloads("expire", kExpire);
  add_workloads("churn", kChurn);
  add_workloads("rearm", kRearm);
  add_workloads("burst", kBurst);
  add_workloads("constant", kConstant);
  add_workloads("hold", std::array{kHold.front()});  // of thirteen that are much alike
  add_workloads<CountQuestions>("next_expiry", kNextExpiry);
  add_workloads("million", kMillion);
  add_workloads("horizon", kEmptyTicks);
  add_workloads<CountWakes>("horizon", kWakes);
  for (const Recording& recording :
       recordings_of(traces_in(TIMERBENCH_SOURCE_DIR "/benches/traces"))) {
    add_queues({"replay", recording.name,
                [=] { return schedule_of(read_trace(recording.file), recording.tick_ns); }});
  }
}

}  // namespace
}  // namespace timers::benches

int main(int argc, char** argv) {
  timers::benches::add_all();
  return timers::benches::run_queue_benchmarks(argc, argv);
}
