/// How fast timers are set while nothing else happens.
///
///     insert/min_heap/growing/1000000
///
/// A queue that grows also pays for its memory. A warm queue has held as many timers before.
/// Programs use timers in neither way: see churn.

#include "benches/harness/queues/queue_benchmarks.hpp"
#include "benches/queues/measured/field.hpp"
#include "benches/workloads/catalog.hpp"

int main(int argc, char** argv) {
  using namespace timers::benches;
  add_contests("insert", kInsert, all_queues());
  return run_queue_benchmarks(argc, argv);
}
