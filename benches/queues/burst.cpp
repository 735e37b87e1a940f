/// How long one call of `expire` takes when many timers are due at once, or when many move down all
/// levels of a wheel at once.
///
///     burst/hierarchical_wheel/edges/1000000
///
/// An operation is an expiry. The counter worst_expire_ns is the longest call.

#include "benches/harness/queues/queue_benchmarks.hpp"
#include "benches/queues/measured/field.hpp"
#include "benches/workloads/catalog.hpp"

int main(int argc, char** argv) {
  using namespace timers::benches;
  add_contests("burst", kBurst, all_queues());
  return run_queue_benchmarks(argc, argv);
}
