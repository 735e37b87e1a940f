/// What the question "when is the next one?" costs, which a thread asks before it sleeps.
///
///     next_expiry/priority_queue/uniform/100000
///
/// Timers with delays uniform over a minute; time moves tick by tick, and after each tick, which is
/// not timed, the question is asked 100 times: so the caches are warm. An answer must be after
/// now, not later than the next timer runs, and equal to its deadline if the queue promises that.

#include <memory>
#include <string>
#include <utility>

#include "benches/harness/queues/ask_next_expiry.hpp"
#include "benches/harness/queues/queue_benchmarks.hpp"
#include "benches/queues/measured_queues.hpp"
#include "benches/workloads/catalog.hpp"

int main(int argc, char** argv) {
  using namespace timers::benches;
  for_each_input(kNextExpiry, [](const std::string& name, std::shared_ptr<LazyInput> input) {
    add_contest<MeasuredField, AskAfterEachTick>(
        "next_expiry", name, std::move(input),
        []<class Queue>() { return timers::HasNextExpiry<Queue>; });
  });
  return run_queue_benchmarks(argc, argv);
}
