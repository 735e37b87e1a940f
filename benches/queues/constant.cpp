/// Timers of one, three or ten distinct delays, which is what most programs have.
///
///     constant/min_heap/1_delay/100000
///
/// An operation is an insert and the expiry that belongs to it.

#include "benches/harness/queues/queue_benchmarks.hpp"
#include "benches/queues/measured/field.hpp"
#include "benches/workloads/catalog.hpp"

int main(int argc, char** argv) {
  using namespace timers::benches;
  add_contests("constant", kConstant, all_queues());
  return run_queue_benchmarks(argc, argv);
}
