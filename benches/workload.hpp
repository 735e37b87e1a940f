#pragma once

/// Made inputs: how real populations of timers come and go, from a fixed seed.
///
/// A workload is a function from the number of timers that are pending on average to a schedule,
/// and one line of the array below. The schedules are the same on every machine and compiler.

#include <array>
#include <cstddef>

#include "benches/schedule.hpp"

namespace timers::benches {

/// Calls of remote procedures. Each sets a timer of 1 s, cancelled by the response, which takes a
/// log-normal time (half within 20 ms, three quarters within 60 ms). One call in 123 gets no
/// response within the second: its timer expires.
///
/// A loop with a tick of 1 ms: in every tick it calls `expire`, then cancels the timers of the
/// calls that were responded to since the last tick, then sets those of the calls that begin. A
/// delay is 1000 ticks, rounded up. Calls come at random (a Poisson process), however the queue
/// keeps up. By Little's law n = rate x mean lifetime, and a timer lives for 67.45 ms on average;
/// so there are 14.8 n calls a second.
///
/// The queue is filled with the calls of the second before, as far as they are open; then one n of
/// calls brings its memory into the order of the steady state; then 2 n, and at least 200'000, are
/// measured.
Schedule rpc(std::size_t pending);

struct Workload {
  const char* name;
  Schedule (*make)(std::size_t pending);
};

inline constexpr std::array kWorkloads = {
    Workload{"rpc", &rpc},
};

}  // namespace timers::benches
