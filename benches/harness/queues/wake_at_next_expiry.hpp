#pragma once

/// Moves time as a thread does that sleeps until the next expiry.

#include <fmt/format.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>

#include "benches/harness/queues/measure.hpp"
#include "benches/harness/queues/playback.hpp"
#include "benches/workloads/schedule.hpp"
#include "impls/timer_queue.hpp"

namespace timers::benches {

/// What a queue did in one pass.
struct Wakes {
  std::size_t empty_calls = 0;
  std::uint64_t moves = 0;
};

template <class Queue>
concept CountsMoves = requires(const Queue& queue) {
  queue.moves();
};

/// Takes the steps, each `expire` of which is at the next deadline; and before it, the calls that
/// the queue asks for in vain. A queue without `next_expiry` is told the deadlines. Between two
/// steps there may be very many wakes, so the clock is looked at between them, too. As in
/// run_in_budget, all that the queue does is inlined.
class SleepUntilNextExpiry {
 public:
  template <class Queue, class Witness>
  [[gnu::flatten]] double operator()(Playback<Queue>& replay, std::size_t end,
                                     Witness& witness) const {
    using Clock = std::chrono::steady_clock;
    *wakes_ = {};
    const auto begin = Clock::now();
    bool in_time = true;
    for (std::size_t round = 1; in_time && replay.position() != end; ++round) {
      const Step& step = replay.next_step();
      const Tick wake = step.verb() == Step::Verb::expire ? wake_of(replay.queue(), step.tick) : 0;
      if (wake != 0 && wake < step.tick) {
        replay.expire(wake, witness);
        ++wakes_->empty_calls;
      } else {
        replay.run_until(replay.position() + 1, witness);
      }
      in_time = round % 256 != 0 || Clock::now() - begin < kBudget;
    }
    const double taken = std::chrono::duration<double>(Clock::now() - begin).count();
    if constexpr (CountsMoves<Queue>) wakes_->moves = replay.queue().moves();
    return taken;
  }

  const Wakes& wakes() const { return *wakes_; }

 private:
  /// When the queue wants to be called, whose next timer is due at `deadline`.
  template <class Queue>
  static Tick wake_of(const Queue& queue, Tick deadline) {
    if constexpr (HasNextExpiry<Queue>) {
      const std::optional<Tick> wake = queue.next_expiry();
      if (wake && *wake <= deadline) return *wake;
      // A queue that may be late may run its next timer later than this.
      if (wake && promises_of<Queue>().max_lateness != &Promises::none_late) return deadline;
      throw std::runtime_error(fmt::format(
          "next_expiry names no tick, or a later one, when a timer is due at {}", deadline));
    }
    return deadline;
  }

  std::shared_ptr<Wakes> wakes_ = std::make_shared<Wakes>();
};

}  // namespace timers::benches
