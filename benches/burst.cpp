/// How long one call of `expire` gets when many timers are due at once, or move down all levels of
/// a wheel at once.
///
///     burst/hierarchical_wheel/edges/1000000
///
/// An operation is an expiry; of the counters, worst_expire_ns is the longest call.

#include "benches/queue_benchmarks.hpp"
#include "benches/workload.hpp"

int main(int argc, char** argv) {
  timers::benches::add_benchmarks("burst", timers::benches::kBurst);
  return timers::benches::run_queue_benchmarks(argc, argv);
}
