#pragma once

/// Takes a fresh queue through a schedule, and checks that it did what it should.

#include <malloc.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <stdexcept>
#include <string>

#include "benches/harness/queues/audit.hpp"
#include "benches/harness/queues/playback.hpp"
#include "benches/harness/queues/proof.hpp"
#include "benches/workloads/schedule.hpp"

namespace timers::benches {

using Seconds = std::chrono::duration<double>;

/// Takes a replay to step `end`, or until its time is up. Returns the seconds that it took. There
/// are so many steps between two reads of the clock that the reads cost nothing.
///
/// All code of the queue and of the witness is inlined. Otherwise some queues would pay for calls
/// and others would not, depending on the compiler.
template <class AnyPlayback, class Witness>
[[gnu::flatten]] double run_in_budget(AnyPlayback& replay, std::size_t end, Seconds budget,
                                      Witness& witness) {
  constexpr std::size_t kSteps = 256;
  const auto begin = std::chrono::steady_clock::now();
  for (;;) {
    replay.run_until(std::min(end, replay.position() + kSteps), witness);
    const Seconds taken = std::chrono::steady_clock::now() - begin;
    if (replay.position() == end || taken > budget) return taken.count();
  }
}

/// With at least this many steps a pass begins with fresh memory, as programs of that size do.
/// Otherwise memory that the allocator keeps from the previous queue would make the next queue look
/// fast. With fewer steps there are so many passes that all queues find this memory warm.
inline constexpr std::size_t kStepsWithFreshMemory = 1 << 16;

/// One queue on its way through a schedule, watched by a prover.
template <class Queue>
class Pass {
 public:
  explicit Pass(const Schedule& schedule)
      : schedule_(with_fresh_memory(schedule)), playback_(schedule) {}

  Playback<Queue>& playback() { return playback_; }
  const Playback<Queue>& playback() const { return playback_; }
  Prover& prover() { return prover_; }

  bool is_at_the_end() const { return playback_.position() == schedule_.measured_end; }

  /// Takes the last step, by which all timers that are left are due. Throws std::runtime_error if
  /// the queue did not show what it should. `right(end)` is the proof of a queue that took the
  /// steps up to `end`.
  template <class Right>
  void finish(Right right) {
    const std::size_t end = playback_.position();
    run_out(playback_, schedule_, prover_);
    const std::string wrong = difference(prover_.proof(), right(end), promises_of<Queue>());
    if (!wrong.empty()) throw std::runtime_error(wrong);
    if (playback_.queue().size() != 0) {
      throw std::runtime_error("timers are pending when all are due");
    }
  }

 private:
  static const Schedule& with_fresh_memory(const Schedule& schedule) {
    if (schedule.steps.size() >= kStepsWithFreshMemory) malloc_trim(0);
    return schedule;
  }

  const Schedule& schedule_;
  Playback<Queue> playback_;
  Prover prover_;
};

}  // namespace timers::benches
