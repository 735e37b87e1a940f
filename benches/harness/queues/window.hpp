#pragma once

/// The part of a schedule that is simulated: a simulator takes fifty times as long as the machine.

#include <cstddef>

#include "benches/workloads/schedule.hpp"

namespace timers::benches {

/// A window has at most so many steps, if a whole turn has not more.
inline constexpr std::size_t kMostStepsOfWindow = 100'000;

/// A turn of the lowest level of a wheel, in ticks. Each ends with a cascade.
inline constexpr Tick kTurn = 256;

/// Leaves of the measured steps a window of as many whole turns as fit into `most` steps, and at
/// least one. It lies in the middle: there a queue that fills or empties is as full as it is on
/// average. A schedule without more steps stays as it is, and so does one without a turn.
void cut_to_window(Schedule& schedule, std::size_t most = kMostStepsOfWindow);

/// The first of the steps before the window that are simulated, too. They bring the simulated
/// caches and predictor into the state that the window finds: about two steps for each timer, and
/// enough that all code has run.
std::size_t warm_begin_of(const Schedule& schedule);

}  // namespace timers::benches
