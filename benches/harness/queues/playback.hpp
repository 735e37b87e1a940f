#pragma once

/// Takes a queue through a schedule.

#include <cstddef>

#include "benches/harness/queues/proof.hpp"
#include "benches/harness/queues/set_timers.hpp"
#include "benches/workloads/schedule.hpp"
#include "impls/timer_queue.hpp"

namespace timers::benches {

/// Steps are prefetched so far ahead. A processor also does this by itself, but not always: its
/// table of streams is small, and the position of the code of a queue decides which streams are in
/// it. If the processor waits for a step, this would count as time of the queue: up to a third,
/// with 100,000 timers.
inline constexpr std::size_t kStepsAhead = 64;

/// A queue on its way through a schedule, with the timers that it holds.
template <class Queue>
class Playback {
 public:
  explicit Playback(const Schedule& schedule)
      : schedule_(schedule), timers_(queue_, schedule.slots) {}

  /// Takes the steps from the current one to `end`, and reports the results to the witness.
  template <class Witness>
  void run_until(std::size_t end, Witness& witness) {
    const Step* const last = schedule_.steps.data() + end;
    for (const Step* step = schedule_.steps.data() + position_; step != last; ++step) {
      __builtin_prefetch(step + kStepsAhead);
      switch (step->verb()) {
        case Step::Verb::expire:
          expire(step->tick, witness);
          break;
        case Step::Verb::insert:
          witness.verb_begins();
          timers_.insert(queue_, *step);
          witness.verb_ends(step->verb());
          break;
        case Step::Verb::rearm:
          answer(*step, witness, [&] { return timers_.rearm(queue_, *step); });
          break;
        case Step::Verb::cancel:
          answer(*step, witness, [&] { return timers_.cancel(queue_, *step); });
          break;
      }
    }
    position_ = end;
  }

  /// Moves time to `now`, in addition to the steps.
  template <class Witness>
  void expire(Tick now, Witness& witness) {
    witness.call_begins(now);
    witness.call_ends(timers_.expire(
        queue_, now, [&](Tick deadline, std::uint64_t line) { witness.expired(deadline, line); }));
  }

  const Step& next_step() const { return schedule_.steps[position_]; }

  /// Skips the steps up to `position`.
  void skip_to(std::size_t position) { position_ = position; }

  std::size_t position() const { return position_; }
  Queue& queue() { return queue_; }

 private:
  template <class Witness, class Verb>
  static void answer(const Step& step, Witness& witness, Verb verb) {
    witness.verb_begins();
    const bool was_pending = verb();
    witness.verb_ends(step.verb());
    witness.answered(step, was_pending);
  }

  const Schedule& schedule_;
  std::size_t position_ = 0;
  Queue queue_;
  TimersOf<Queue> timers_;
};

/// What a queue of this type shows on the whole schedule.
template <class Queue, class Witness>
void replay(const Schedule& schedule, Witness& witness) {
  Playback<Queue>(schedule).run_until(schedule.steps.size(), witness);
}

template <class Queue>
Proof prove(const Schedule& schedule) {
  Prover prover;
  replay<Queue>(schedule, prover);
  return prover.proof();
}

}  // namespace timers::benches
