#pragma once

/// What every correct queue shows on a schedule, computed without a queue.

#include <cstddef>
#include <vector>

#include "benches/harness/queues/proof.hpp"
#include "benches/workloads/schedule.hpp"
#include "impls/timer_queue.hpp"

namespace timers::benches {

/// The schedule says when time moves. So the call in which a timer expires can be computed: it is
/// the first call that reaches the deadline, unless the timer is cancelled or re-armed before. This
/// code shares no line with any queue. The reference queue is checked against it, too.
Proof predict(const Schedule& schedule);

/// The same if only the last step follows after the steps before `cut`.
Proof predict(const Schedule& schedule, std::size_t cut);

/// The same for measured steps up to `end`. `of_all` is the prediction for all measured steps.
inline Proof predicted_proof(const Schedule& schedule, std::size_t end, const Proof& of_all) {
  return end == schedule.measured_end ? of_all : predict(schedule, end);
}

/// The ticks of the `expire` calls before `cut` and in the last step, in ascending order.
std::vector<Tick> calls_of(const Schedule& schedule, std::size_t cut);

/// A tick by which every timer has run, in a queue with these promises: no delay is longer than the
/// schedule, and the longest delay has the greatest lateness.
Tick last_tick_of(const Schedule& schedule, const Promises& promises);

/// The end of time, if the sum is beyond it.
constexpr Tick saturating_sum(Tick tick, Tick more) {
  return tick > kEndOfTime - more ? kEndOfTime : tick + more;
}

}  // namespace timers::benches
