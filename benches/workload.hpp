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
/// log-normal time (half within 20 ms, three quarters within 60 ms). One call in 122 gets no
/// response within the second: its timer expires.
///
/// Open loop: calls come at random (a Poisson process), however the queue keeps up. By Little's law
/// n = rate x mean lifetime, and a timer lives for 66.96 ms on average; so there are 14.9 n calls a
/// second. A tick is 1 ms and every tick has its expire call; a timer's delay is 1000 ticks,
/// rounded up. The queue is filled with the calls of the second before, as far as they are open,
/// then one n of calls puts its memory into the order of the steady state, then 2 n, and at least
/// 200'000, are measured.
Schedule rpc(std::size_t pending);

struct Workload {
  const char* name;
  Schedule (*make)(std::size_t pending);
};

inline constexpr std::array kWorkloads = {
    Workload{"rpc", &rpc},
};

}  // namespace timers::benches
