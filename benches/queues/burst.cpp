/// How long one call of `expire` gets when many timers are due at once, or move down all levels of
/// a wheel at once.
///
///     burst/hierarchical_wheel/edges/1000000
///
/// An operation is an expiry; of the counters, worst_expire_ns is the longest call.

#include "benches/harness/queues/queue_benchmarks.hpp"
#include "benches/queues/measured_queues.hpp"
#include "benches/workloads/catalog.hpp"

int main(int argc, char** argv) {
  using namespace timers::benches;
  add_contests<MeasuredField>("burst", kBurst);
  return run_queue_benchmarks(argc, argv);
}
