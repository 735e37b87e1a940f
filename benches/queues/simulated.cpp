/// What an operation takes on a simulated machine, which no neighbour disturbs: instructions, cache
/// misses, and mispredicted branches.
///
///     churn/hierarchical_wheel/rpc/1000
///
/// Callgrind counts a window of the measured steps of each benchmark of queues, with up to 100'000
/// timers. The results are checked as in all benches. scripts/simulate.py runs this program under
/// valgrind, once for each case, and reads the counts. Each queue has a process of its own. So it
/// finds the same memory, whichever other queues are counted. The queue `no_queue` does nothing:
/// its counts are the cost of the harness itself. Without valgrind the same steps are timed. The
/// harness alone is timed by
///
///     simulated --benchmark_filter=/no_queue/

#include <array>
#include <cstddef>
#include <memory>

#include "benches/harness/queues/counted_benchmarks.hpp"
#include "benches/harness/queues/counted_contests.hpp"
#include "benches/harness/queues/counted_pass.hpp"
#include "benches/queues/measured/field.hpp"
#include "benches/queues/measured/queues.hpp"
#include "benches/queues/measured/staying.hpp"
#include "benches/traces/recordings.hpp"
#include "benches/traces/trace.hpp"
#include "benches/workloads/catalog.hpp"
#include "benches/workloads/schedule.hpp"
#include "impls/listed.hpp"

namespace timers::benches {
namespace {

/// For the queue that does nothing, an operation is a verb: an insert; or half of a call of rpc,
/// with its proof and its share of the ticks.
void add_harness(const CountedContest& of) {
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
  add_counted_contests<Way>(bench, workloads, MeasuredQueues{});
}

void add_all() {
  add_harness({"insert", "warm/10000", [] { return insert_warm(10'000, kCountedSeed); }});
  add_harness({"churn", "rpc/10000", [] { return rpc(10'000, kCountedSeed); }});
  add_workloads("insert", kInsert);
  add_workloads("cancel", kCancel);
  add_workloads("expire", kExpire);
  add_workloads("churn", kChurn);
  add_workloads("rearm", kRearm);
  add_workloads("burst", kBurst);
  add_workloads("constant", kConstant);
  add_workloads("hold", std::array{kHold.front()});  // one of thirteen that are much alike
  add_workloads<CountQuestions>("next_expiry", kNextExpiry);
  add_workloads("million", kMillion);
  add_workloads("horizon", kEmptyTicks);
  add_workloads<CountWakes>("horizon", kWakes);
  add_counted_contests("staying", kStaying, QueuesOf<OursThatStay>{});
  for (const Recording& recording :
       recordings_of(traces_in(TIMERBENCH_SOURCE_DIR "/benches/traces"))) {
    add_counted_contest(
        {"replay", recording.name,
         [=] { return schedule_of(read_trace(recording.file), recording.tick_ns); }},
        MeasuredQueues{});
  }
}

}  // namespace
}  // namespace timers::benches

int main(int argc, char** argv) {
  timers::benches::add_all();
  return timers::benches::run_queue_benchmarks(argc, argv);
}
