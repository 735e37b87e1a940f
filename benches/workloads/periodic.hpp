#pragma once

/// Timers that always expire, and are set again when they do. An operation is one insert and the
/// expiry that comes with it. After n operations 2 n, and at least 20'000, are measured.

#include <cstddef>
#include <cstdint>

#include "benches/workloads/schedule.hpp"

namespace timers::benches {

/// Heartbeats of actors: half of the n timers every 20 s, half every 60 s.
Schedule delays_only(std::size_t timers, std::uint64_t seed = 1);

/// Timers of one delay (1 s), of three (1, 5, 30 s) and of ten (0.1 to 60 s), each delay with the
/// same number of timers. Programs have few distinct delays (libevent's common timeouts, Lawn).
Schedule one_delay(std::size_t timers, std::uint64_t seed = 1);
Schedule three_delays(std::size_t timers, std::uint64_t seed = 1);
Schedule ten_delays(std::size_t timers, std::uint64_t seed = 1);

/// Flows whose packets are paced, with ticks of 1 us: each sends again after 50 to 500 us, another
/// time each time.
Schedule pacing(std::size_t flows, std::uint64_t seed = 1);

}  // namespace timers::benches
