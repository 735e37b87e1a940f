#pragma once

/// Moves time like a thread that sleeps until the next expiry.

#include <benchmark/benchmark.h>

#include <chrono>
#include <cstddef>

#include "benches/harness/absence.hpp"
#include "benches/harness/queues/next_wake.hpp"
#include "benches/harness/queues/pass.hpp"
#include "benches/harness/queues/playback.hpp"
#include "benches/harness/queues/proof.hpp"
#include "benches/workloads/schedule.hpp"
#include "impls/timer_queue.hpp"

namespace timers::benches {

template <class Queue>
concept CountsMoves = requires(const Queue& queue) {
  queue.moves();
};

/// Takes the steps. Each `expire` step is at the next deadline; a last one may come after all
/// deadlines. If the queue asks for calls before that step, these calls come first; they are in
/// vain if the queue is never late. A queue without `next_expiry` is called only at the steps. If a
/// queue may be late and asks for a later call, the step is skipped. There may be very many wakes
/// between two steps, so the clock is also read between two wakes. As in run_in_budget, all code of
/// the queue is inlined.
class SleepUntilNextExpiry {
 public:
  template <class Queue>
  static constexpr bool kCanBeTakenBy = true;
  static constexpr std::size_t kOperationsACall = 1;
  /// Timers end one after the other, the short delays first.
  static constexpr bool kWindowIsLikeTheWhole = false;

  explicit SleepUntilNextExpiry(const Schedule& schedule) : timers_(schedule.slots) {}

  /// Takes steps until `end`, or until the budget is spent.
  template <class Queue, class Witness>
  Timing operator()(Playback<Queue>& replay, std::size_t end, Seconds budget, Witness& witness) {
    return with_absence([&] { return run_in_budget(replay, end, budget, witness); });
  }

  /// Adds counters at the end of the schedule: what the queue did for each timer.
  template <class Queue>
  void count(benchmark::UserCounters& counters, const Queue& queue) const {
    counters["empty_calls_per_timer"] = static_cast<double>(empty_calls_) / timers_;
    if constexpr (CountsMoves<Queue>) {
      counters["moves_per_timer"] = static_cast<double>(queue.moves()) / timers_;
    }
  }

 private:
  /// Returns the seconds that the steps took.
  template <class Queue, class Witness>
  [[gnu::flatten]] double run_in_budget(Playback<Queue>& replay, std::size_t end, Seconds budget,
                                        Witness& witness) {
    const auto begin = std::chrono::steady_clock::now();
    const auto taken = [&] { return Seconds(std::chrono::steady_clock::now() - begin); };
    for (std::size_t round = 1; replay.position() != end; ++round) {
      const Step& step = replay.next_step();
      const Tick wake =
          step.verb() == Step::Verb::expire ? next_wake(replay.queue(), step.tick) : 0;
      if (wake != 0 && wake < step.tick) {
        const std::size_t pending = replay.queue().size();
        replay.expire(wake, witness);
        if (!kMayBeLate<Queue> || replay.queue().size() == pending) ++empty_calls_;
      } else if (kMayBeLate<Queue> && wake > step.tick) {
        replay.skip_to(replay.position() + 1);
      } else {
        replay.run_until(replay.position() + 1, witness);
      }
      if (round % 256 == 0 && taken() > budget) break;
    }
    return taken().count();
  }

  double timers_;
  std::size_t empty_calls_ = 0;
};

}  // namespace timers::benches
