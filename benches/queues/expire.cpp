/// The cost of running timers, without their tasks, when time moves tick by tick.
///
///     expire/priority_queue/uniform/1000000
///
/// An operation is an expiry with its share of the ticks; in pacing, it includes the insert of the
/// next timer.

#include "benches/harness/queues/queue_benchmarks.hpp"
#include "benches/queues/measured/field.hpp"
#include "benches/workloads/catalog.hpp"

int main(int argc, char** argv) {
  using namespace timers::benches;
  add_contests("expire", kExpire, all_queues());
  return run_queue_benchmarks(argc, argv);
}
