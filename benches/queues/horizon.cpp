/// What long delays cost, and time in which nothing happens.
///
///     horizon/hashed_wheel/log_uniform/100000
///     horizon/hashed_wheel/empty_ticks/100000
///
/// In log_uniform and 1s_and_6h, time moves as a thread would move it that sleeps until
/// `next_expiry`: a queue that names an early instant is called in vain. An operation is the whole
/// life of a timer. Counted are
///
///     empty_calls_per_timer   calls of `expire` that ran nothing
///     moves_per_timer         how often a pending timer was moved or passed over: cascades, rounds
///
/// In empty_ticks time moves tick by tick while nothing is due; an operation is a tick.

#include <fmt/format.h>

#include <cstddef>
#include <memory>
#include <utility>

#include "benches/harness/queues/queue_benchmarks.hpp"
#include "benches/harness/queues/wake_at_next_expiry.hpp"
#include "benches/queues/measured_queues.hpp"
#include "benches/workloads/catalog.hpp"

namespace timers::benches {
namespace {

/// Timers end one after the other, the short delays first: what a window shows is not true of the
/// whole, which only takes longer than it.
template <TimerQueue Queue>
void report_wakes(benchmark::State& state, const Wakes& wakes, double timers) {
  if (state.counters["window_share"] < 1) {
    state.counters["slower_than"] = 1;
    state.counters["ns_per_operation"] = state.counters["seconds"] * 1e9 / timers;
    return;
  }
  state.counters["empty_calls_per_timer"] = static_cast<double>(wakes.empty_calls) / timers;
  if (CountsMoves<Queue>) {
    state.counters["moves_per_timer"] = static_cast<double>(wakes.moves) / timers;
  }
}

template <TimerQueue Queue>
void add_wakes(const Workload& workload, std::size_t n, std::shared_ptr<LazyInput> input) {
  add_benchmark(fmt::format("horizon/{}/{}/{}", Queue::name, workload.name, n),
                [n, input = std::move(input),
                 calls = std::make_shared<CallTimer>()](benchmark::State& state) {
                  const SleepUntilNextExpiry sleep;
                  measure<Queue>(state, input->get(), *calls, sleep);
                  report_wakes<Queue>(state, sleep.wakes(), static_cast<double>(n));
                  if (!HasNextExpiry<Queue>)
                    state.SetLabel("told the deadlines: it has no next_expiry");
                })
      ->UseManualTime();
}

void add_all() {
  add_benchmarks<MeasuredQueues>("horizon", kEmptyTicks);
  for (const Workload& workload : kWakes) {
    for (std::size_t n = workload.smallest; n <= kLargest; n *= 10) {
      const auto input = std::make_shared<LazyInput>([=] { return workload.make(n); });
      for_each_type(MeasuredQueues{}, [&]<class Queue>() { add_wakes<Queue>(workload, n, input); });
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
