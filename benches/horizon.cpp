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

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include "benches/harness.hpp"
#include "benches/workload.hpp"

namespace timers::benches {
namespace {

/// What the queue did in one pass.
struct Wakes {
  std::size_t empty_calls = 0;
  std::uint64_t moves = 0;
};

template <class Queue>
concept CountsMoves = requires(const Queue& queue) {
  queue.moves();
};

/// Takes the steps, and between them the wakes that the queue asks for. The clock is looked at
/// between wakes too, since between two steps there may be very many.
struct SleepUntilNextExpiry {
  std::shared_ptr<Wakes> wakes = std::make_shared<Wakes>();

  template <class Queue, class Witness>
  double operator()(Replay<Queue>& replay, std::size_t end, Witness& witness) const {
    using Clock = std::chrono::steady_clock;
    *wakes = {};
    const auto begin = Clock::now();
    bool in_time = true;
    for (std::size_t round = 1; in_time && replay.position() != end; ++round) {
      const Step& step = replay.next_step();
      if (step.verb() == Step::Verb::expire && replay.wakes_before(step.tick, witness)) {
        ++wakes->empty_calls;
      } else {
        replay.run_until(replay.position() + 1, witness);
      }
      in_time = round % 256 != 0 || Clock::now() - begin < kBudget;
    }
    const double taken = std::chrono::duration<double>(Clock::now() - begin).count();
    if constexpr (CountsMoves<Queue>) wakes->moves = replay.queue().moves();
    return taken;
  }
};

template <TimerQueue Queue>
void add_wakes(const Workload& workload, std::size_t n, std::shared_ptr<LazyInput> input) {
  add_benchmark(
      fmt::format("horizon/{}/{}/{}", Queue::name, workload.name, n),
      [input = std::move(input), calls = std::make_shared<CallTimer>()](benchmark::State& state) {
        const SleepUntilNextExpiry sleep;
        measure<Queue>(state, input->get(), *calls, sleep);
        const double timers = std::max(state.counters["expiries"].value, 1.0);
        state.counters["empty_calls_per_timer"] =
            static_cast<double>(sleep.wakes->empty_calls) / timers;
        if (CountsMoves<Queue>) {
          state.counters["moves_per_timer"] = static_cast<double>(sleep.wakes->moves) / timers;
        }
        if (!HasNextExpiry<Queue>) state.SetLabel("told the deadlines: it has no next_expiry");
      })
      ->UseManualTime();
}

void add_all() {
  add_benchmarks("horizon", kEmptyTicks);
  for (const Workload& workload : kWakes) {
    for (std::size_t n = workload.smallest; n <= kLargest; n *= 10) {
      const auto input = std::make_shared<LazyInput>([=] { return workload.make(n); });
      for_each_type(TimerQueues<Task>{},
                    [&]<class Queue>() { add_wakes<Queue>(workload, n, input); });
    }
  }
}

}  // namespace
}  // namespace timers::benches

int main(int argc, char** argv) {
  timers::benches::add_all();
  return timers::benches::run_benchmarks(argc, argv);
}
