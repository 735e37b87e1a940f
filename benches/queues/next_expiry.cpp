/// What the question "when is the next one?" costs, which a thread asks before it sleeps.
///
///     next_expiry/priority_queue/uniform/100000
///
/// Timers with delays uniform over a minute; time moves tick by tick, and after each tick, which is
/// not timed, the question is asked 1000 times: so the caches are warm. An answer must be after
/// now, not later than the next timer runs, and equal to its deadline if the queue promises that.

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "benches/harness/queues/ask_next_expiry.hpp"
#include "benches/harness/queues/queue_benchmarks.hpp"
#include "benches/queues/measured_queues.hpp"
#include "benches/workloads/catalog.hpp"

namespace timers::benches {
namespace {

template <HasNextExpiry Queue>
void add_questions(const Workload& workload, std::size_t n, std::shared_ptr<LazyInput> input) {
  add_benchmark(
      fmt::format("next_expiry/{}/{}/{}", Queue::name, workload.name, n),
      [input = std::move(input), calls = std::make_shared<CallTimer>()](benchmark::State& state) {
        const std::vector<Tick> deadlines = sorted_deadlines(input->get().schedule);
        measure<Queue>(state, input->get(), *calls, AskAfterEachTick{deadlines});
        state.counters["operations"].value *= kQuestions;
        state.counters["ns_per_operation"].value /= kQuestions;
      })
      ->UseManualTime();
}

void add_all() {
  for (const Workload& workload : kNextExpiry) {
    for (std::size_t n = workload.smallest; n <= kLargest; n *= 10) {
      const auto input = std::make_shared<LazyInput>([=] { return workload.make(n); });
      for_each_type(MeasuredQueues{}, [&]<class Queue>() {
        if constexpr (HasNextExpiry<Queue>) add_questions<Queue>(workload, n, input);
      });
    }
  }
}

}  // namespace
}  // namespace timers::benches

int main(int argc, char** argv) {
  using namespace timers::benches;
  add_all();
  return run_queue_benchmarks(argc, argv);
}
