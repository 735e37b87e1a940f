/// How fast each queue does what real programs did: every recorded trace, at two lengths of a tick.
///
///     replay/hashed_wheel/nginx-rbtree-ka5@1ms
///
/// An operation is a schedule, re-schedule or cancel of the trace; an expiry that was observed is
/// none, since the queue finds it by itself. The cost of an operation includes its share of the
/// expire calls that move time to it.

#include "benches/harness/queues/queue_benchmarks.hpp"
#include "benches/queues/measured_queues.hpp"
#include "benches/traces/recordings.hpp"
#include "benches/traces/trace.hpp"
#include "benches/workloads/schedule.hpp"

namespace timers::benches {
namespace {

void add_all() {
  for (const Recording& recording : recordings_in(TIMERBENCH_SOURCE_DIR "/benches/traces")) {
    add_benchmarks<MeasuredQueues>("replay", recording.name, [=] {
      return schedule_of(read_trace(recording.file), recording.tick_ns);
    });
  }
}

}  // namespace
}  // namespace timers::benches

int main(int argc, char** argv) {
  using namespace timers::benches;
  add_all();
  return run_queue_benchmarks(argc, argv);
}
