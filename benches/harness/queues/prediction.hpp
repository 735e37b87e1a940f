#pragma once

/// What every correct queue shows on a schedule, computed without a queue.

#include <cstddef>

#include "benches/harness/queues/proof.hpp"
#include "benches/workloads/schedule.hpp"

namespace timers::benches {

/// A schedule says beforehand when time moves, so that the call in which a timer expires can be
/// looked up: it is the first that reaches the deadline, unless the timer is cancelled or re-armed
/// before. Nothing here has a line in common with a queue; the reference is held against it too.
Proof predict(const Schedule& schedule);

/// The same if nothing but the last step follows on those before `cut`.
Proof predict(const Schedule& schedule, std::size_t cut);

}  // namespace timers::benches
