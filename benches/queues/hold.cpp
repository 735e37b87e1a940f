/// The models of discrete-event simulation: take the first timer, and set another one a random
/// increment later.
///
///     hold/lazy_wheel/exponential/1000000
///
/// An operation is an insert and the expiry that belongs to it. The name is the distribution of the
/// increments, or another model: see benches/workloads/hold.hpp.

#include "benches/harness/queues/queue_benchmarks.hpp"
#include "benches/queues/measured/field.hpp"
#include "benches/workloads/catalog.hpp"

int main(int argc, char** argv) {
  using namespace timers::benches;
  add_contests("hold", kHold, all_queues());
  return run_queue_benchmarks(argc, argv);
}
