#pragma once

/// The part of a schedule that is simulated: a simulation takes fifty times as long as the real
/// run.

#include <cstddef>

#include "benches/workloads/schedule.hpp"

namespace timers::benches {

/// A window has at most this many steps, unless a single turn has more.
inline constexpr std::size_t kMostStepsOfWindow = 100'000;

/// A turn of the lowest level of a wheel, in ticks. Each turn ends with a cascade.
inline constexpr Tick kTurn = 256;

/// Reduces the measured steps to a window of as many whole turns as fit into `most` steps, but at
/// least one turn. If no step moves time, the window has `most` steps. It lies in the middle: there
/// a queue that fills or empties is as full as on average. A schedule with at most `most` steps is
/// not changed, and neither is one in which time moves, but no turn ends from the middle on.
void cut_to_window(Schedule& schedule, std::size_t most = kMostStepsOfWindow);

/// The first of the steps before the window that are also simulated. They bring the simulated
/// caches and the branch predictor into the state that the window needs: about two steps for each
/// timer, and enough that all code has run.
std::size_t warm_begin_of(const Schedule& schedule);

}  // namespace timers::benches
