/// The cost of the question "when is the next expiry?", which a thread asks before it sleeps.
///
///     next_expiry/priority_queue/uniform/100000
///
/// Timers have delays uniform over a minute. Time moves tick by tick, which is not timed. After
/// each tick the question is asked 100 times, so the caches are warm. An answer must be after now,
/// and not later than the next timer runs. If the queue promises exact answers, it must be equal to
/// the next deadline.

#include "benches/harness/queues/ask_next_expiry.hpp"
#include "benches/harness/queues/queue_benchmarks.hpp"
#include "benches/queues/measured/field.hpp"
#include "benches/queues/measured/queues.hpp"
#include "benches/workloads/catalog.hpp"

int main(int argc, char** argv) {
  using namespace timers::benches;
  Field field = field_of<AskAfterEachTick>(MeasuredQueues{});
  add_twins(field, QueuesWithTwins{});
  add_contests("next_expiry", kNextExpiry, field);
  return run_queue_benchmarks(argc, argv);
}
