/// What it costs to run timers, the tasks apart, when time moves tick by tick.
///
///     expire/priority_queue/uniform/1000000
///
/// An operation is an expiry with its share of the ticks; in pacing, also with the insert of the
/// next timer.

#include "benches/harness/queues/queue_benchmarks.hpp"
#include "benches/queues/measured_queues.hpp"
#include "benches/workloads/catalog.hpp"

int main(int argc, char** argv) {
  using namespace timers::benches;
  add_contests<MeasuredField>("expire", kExpire);
  return run_queue_benchmarks(argc, argv);
}
