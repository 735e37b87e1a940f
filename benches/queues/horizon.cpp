/// What long delays cost, and time in which nothing happens.
///
///     horizon/hashed_wheel/log_uniform/100000
///     horizon/hashed_wheel/empty_ticks/100000
///
/// In log_uniform and 1s_and_6h, time moves as a thread would move it that sleeps until
/// `next_expiry`: a queue that names an early instant is called in vain; a queue without the
/// question is told the deadlines. An operation is the whole life of a timer. Counted are
///
///     empty_calls_per_timer   calls of `expire` that ran nothing
///     moves_per_timer         how often a pending timer was moved or passed over: cascades, rounds
///
/// In empty_ticks time moves tick by tick while nothing is due; an operation is a tick.

#include "benches/harness/queues/queue_benchmarks.hpp"
#include "benches/harness/queues/wake_at_next_expiry.hpp"
#include "benches/queues/measured_queues.hpp"
#include "benches/workloads/catalog.hpp"

int main(int argc, char** argv) {
  using namespace timers::benches;
  add_contests<MeasuredField>("horizon", kEmptyTicks);
  add_contests<MeasuredField, SleepUntilNextExpiry>("horizon", kWakes);
  return run_queue_benchmarks(argc, argv);
}
