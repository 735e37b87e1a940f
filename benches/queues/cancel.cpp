/// How fast n pending timers are cancelled, in different orders.
///
///     cancel/hierarchical_wheel/random/1000000

#include "benches/harness/queues/queue_benchmarks.hpp"
#include "benches/queues/measured/field.hpp"
#include "benches/workloads/catalog.hpp"

int main(int argc, char** argv) {
  using namespace timers::benches;
  add_contests("cancel", kCancel, all_queues());
  return run_queue_benchmarks(argc, argv);
}
