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

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "benches/harness/queues/counted_benchmarks.hpp"
#include "benches/harness/queues/counted_pass.hpp"
#include "benches/queues/measured/field.hpp"
#include "benches/queues/measured/queues.hpp"
#include "benches/traces/recordings.hpp"
#include "benches/traces/trace.hpp"
#include "benches/workloads/catalog.hpp"
#include "benches/workloads/schedule.hpp"
#include "impls/type_list.hpp"

namespace timers::benches {
namespace {

constexpr std::size_t kFewestTimers = 1'000;
constexpr std::size_t kMostTimers = 100'000;
constexpr std::uint64_t kSeed = 1;

/// What all queues are counted on.
struct Case {
  const char* bench;
  std::string name;  // workload/n, or a recording
  std::function<Schedule()> make;
};

template <class Way = CountSteps>
void add_queues(const Case& of) {
  const auto input = std::make_shared<CountedCase>([make = of.make] {
    Schedule schedule = make();
    Way::cut(schedule);
    return schedule;
  });
  for_each_type(MeasuredQueues{}, [&]<class Queue>() {
    if constexpr (Way::template kCanTake<Queue>) {
      add_counted<Queue>(of.bench, of.name, input,
                         [](const Schedule& schedule) { return Way(schedule); });
    }
  });
}

/// Of a queue that does nothing an operation is a verb: an insert; or, with its proof and its share
/// of the ticks, half of a call of rpc.
void add_harness(const Case& of) {
  const auto input = std::make_shared<CountedCase>([make = of.make] {
    Schedule schedule = make();
    schedule.counted = Operation::verb;
    CountSteps::cut(schedule);
    return schedule;
  });
  add_counted<NoQueue>(of.bench, of.name, input,
                       [](const Schedule& schedule) { return CountSteps(schedule); });
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
