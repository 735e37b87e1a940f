#pragma once

/// What every correct queue shows on a schedule, computed without a queue.

#include <cstddef>
#include <vector>

#include "benches/harness/queues/proof.hpp"
#include "benches/workloads/schedule.hpp"
#include "impls/timer_queue.hpp"

namespace timers::benches {

/// A schedule says beforehand when time moves, so that the call in which a timer expires can be
/// looked up: it is the first that reaches the deadline, unless the timer is cancelled or re-armed
/// before. Nothing here has a line in common with a queue; the reference is held against it too.
Proof predict(const Schedule& schedule);

/// The same if nothing but the last step follows on those before `cut`.
Proof predict(const Schedule& schedule, std::size_t cut);

/// The same for measured steps up to `end`, if `of_all` is the prediction for all of them.
inline Proof predicted_proof(const Schedule& schedule, std::size_t end, const Proof& of_all) {
  return end == schedule.measured_end ? of_all : predict(schedule, end);
}

/// The ticks of its `expire` calls, in ascending order, up to the same step, and of the last one.
std::vector<Tick> calls_of(const Schedule& schedule, std::size_t cut);

/// A tick by which every timer has run in a queue of these promises: delays are at most as long as
/// the schedule, and none may be later than the longest.
Tick last_tick_of(const Schedule& schedule, const Promises& promises);

/// The end of time, if the sum is beyond it.
constexpr Tick saturating_sum(Tick tick, Tick more) {
  return tick > kEndOfTime - more ? kEndOfTime : tick + more;
}

}  // namespace timers::benches
