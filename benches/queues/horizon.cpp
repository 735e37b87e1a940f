/// The cost of long delays, and of time in which nothing happens.
///
///     horizon/hashed_wheel/log_uniform/100000
///     horizon/hashed_wheel/empty_ticks/100000
///
/// In log_uniform and 1s_and_6h, time moves like that of a thread that sleeps until `next_expiry`.
/// A queue that answers with a too early instant is called in vain. A queue without `next_expiry`
/// is called at the deadlines. An operation is the whole life of a timer. The counters are
///
///     empty_calls_per_timer   calls of `expire` that ran nothing
///     moves_per_timer         how often a pending timer was moved or passed over: cascades, rounds
///
/// In empty_ticks time moves tick by tick while nothing is due. An operation is a tick.

#include "benches/harness/queues/queue_benchmarks.hpp"
#include "benches/harness/queues/wake_at_next_expiry.hpp"
#include "benches/queues/measured/field.hpp"
#include "benches/queues/measured/queues.hpp"
#include "benches/workloads/catalog.hpp"

int main(int argc, char** argv) {
  using namespace timers::benches;
  add_contests("horizon", kEmptyTicks, all_queues());
  Field sleepers = field_of<SleepUntilNextExpiry>(MeasuredQueues{});
  add_twins(sleepers, QueuesWithTwins{});
  add_contests("horizon", kWakes, sleepers);
  return run_queue_benchmarks(argc, argv);
}
