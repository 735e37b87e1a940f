/// How fast n pending timers are cancelled, by the order in which it happens.
///
///     cancel/hierarchical_wheel/random/1000000

#include "benches/harness/queues/queue_benchmarks.hpp"
#include "benches/queues/measured_queues.hpp"
#include "benches/workloads/catalog.hpp"

int main(int argc, char** argv) {
  using namespace timers::benches;
  add_contests<MeasuredField>("cancel", kCancel);
  return run_queue_benchmarks(argc, argv);
}
