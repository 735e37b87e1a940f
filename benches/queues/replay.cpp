/// How fast each queue does what real programs did: every recorded trace, with two tick lengths.
///
///     replay/hashed_wheel/nginx-rbtree-ka5@1ms
///
/// An operation is a schedule, re-schedule or cancel of the trace. An expiry that the recorder
/// observed is not an operation, because the queue runs the timer by itself. The cost of an
/// operation includes its share of the expire calls that move time to it.
///
/// Every recording in benches/traces is measured, and also the trace to which TIMERBENCH_TRACE
/// points.

#include <cstdlib>
#include <filesystem>
#include <memory>
#include <vector>

#include "benches/harness/queues/queue_benchmarks.hpp"
#include "benches/queues/measured/field.hpp"
#include "benches/traces/recordings.hpp"
#include "benches/traces/trace.hpp"
#include "benches/workloads/schedule.hpp"

namespace timers::benches {
namespace {

std::vector<Recording> all_recordings() {
  std::vector<std::filesystem::path> files = traces_in(TIMERBENCH_SOURCE_DIR "/benches/traces");
  if (const char* const another = std::getenv("TIMERBENCH_TRACE")) files.emplace_back(another);
  return recordings_of(files);
}

void add_all() {
  const Field field = all_queues();
  for (const Recording& recording : all_recordings()) {
    const auto input = std::make_shared<LazyInput>(
        [=] { return std::vector{schedule_of(read_trace(recording.file), recording.tick_ns)}; });
    add_contest("replay", recording.name, input, field);
  }
}

}  // namespace
}  // namespace timers::benches

int main(int argc, char** argv) {
  using namespace timers::benches;
  add_all();
  return run_queue_benchmarks(argc, argv);
}
