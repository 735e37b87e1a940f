/// How fast pending timers are pushed back.
///
///     rearm/hashed_wheel/idle/1000000
///
/// The cost of an operation includes its share of the expire calls, one a tick.

#include "benches/queue_benchmarks.hpp"
#include "benches/workload.hpp"

int main(int argc, char** argv) {
  timers::benches::add_benchmarks("rearm", timers::benches::kRearm);
  return timers::benches::run_queue_benchmarks(argc, argv);
}
