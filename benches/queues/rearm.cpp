/// How fast pending timers are put off.
///
///     rearm/hashed_wheel/idle/1000000
///
/// The cost of an operation includes its share of the expire calls, one a tick.

#include "benches/harness/queues/queue_benchmarks.hpp"
#include "benches/queues/measured/field.hpp"
#include "benches/workloads/catalog.hpp"

int main(int argc, char** argv) {
  using namespace timers::benches;
  add_contests("rearm", kRearm, all_queues());
  return run_queue_benchmarks(argc, argv);
}
