/// How fast timers are set, with nothing else going on.
///
///     insert/min_heap/growing/1000000
///
/// A queue that grows pays for its memory, too; a warm one has held as many timers before. Neither
/// is how programs use timers: see churn.

#include "benches/harness/queues/queue_benchmarks.hpp"
#include "benches/queues/measured_queues.hpp"
#include "benches/workloads/catalog.hpp"

int main(int argc, char** argv) {
  using namespace timers::benches;
  add_contests<MeasuredField>("insert", kInsert);
  return run_queue_benchmarks(argc, argv);
}
