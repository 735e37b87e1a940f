/// The models of discrete-event simulation: take the first timer, set another one a random
/// increment later.
///
///     hold/lazy_wheel/exponential/1000000
///
/// An operation is an insert and the expiry that comes with it. The name says how the increments
/// are distributed, or which model is another one: see benches/workloads/hold.hpp.

#include "benches/harness/queues/queue_benchmarks.hpp"
#include "benches/queues/measured/field.hpp"
#include "benches/workloads/catalog.hpp"

int main(int argc, char** argv) {
  using namespace timers::benches;
  add_contests("hold", kHold, all_queues());
  return run_queue_benchmarks(argc, argv);
}
