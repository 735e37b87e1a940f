/// The steady state: how fast timers come and go when n of them are pending on average.
///
///     churn/hashed_wheel/rpc/1000000
///
/// The cost of an operation includes its share of the expire calls, one a tick.

#include "benches/queue_benchmarks.hpp"
#include "benches/workload.hpp"

int main(int argc, char** argv) {
  timers::benches::add_benchmarks("churn", timers::benches::kChurn);
  return timers::benches::run_queue_benchmarks(argc, argv);
}
