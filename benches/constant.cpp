/// Timers of one, three or ten distinct delays, which is what most programs have.
///
///     constant/min_heap/1_delay/100000
///
/// An operation is an insert and the expiry that comes with it.

#include "benches/queue_benchmarks.hpp"
#include "benches/workload.hpp"

int main(int argc, char** argv) {
  timers::benches::add_benchmarks("constant", timers::benches::kConstant);
  return timers::benches::run_queue_benchmarks(argc, argv);
}
