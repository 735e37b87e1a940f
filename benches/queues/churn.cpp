/// The steady state: how fast timers come and go when n of them are pending on average.
///
///     churn/hashed_wheel/rpc/1000000
///
/// The cost of an operation includes its share of the expire calls, one a tick.

#include "benches/harness/queues/queue_benchmarks.hpp"
#include "benches/queues/measured_queues.hpp"
#include "benches/workloads/catalog.hpp"

int main(int argc, char** argv) {
  using namespace timers::benches;
  add_contests<MeasuredField>("churn", kChurn);
  return run_queue_benchmarks(argc, argv);
}
