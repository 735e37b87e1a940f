#pragma once

/// Timers that always expire, and are set again when they do. An operation is an insert and the
/// expiry that belongs to it. After n operations 2 n operations, at least 20'000, are measured.

#include <cstddef>
#include <cstdint>

#include "benches/workloads/schedule.hpp"

namespace timers::benches {

/// Heartbeats of actors: half of the n timers every 20 s, half every 60 s.
Schedule delays_only(std::size_t timers, std::uint64_t seed = 1);

/// Timers with one delay (1 s), with three (1, 5, 30 s) and with ten (0.1 to 60 s). Each delay has
/// the same number of timers. Programs have few distinct delays (libevent's common timeouts, Lawn).
Schedule one_delay(std::size_t timers, std::uint64_t seed = 1);
Schedule three_delays(std::size_t timers, std::uint64_t seed = 1);
Schedule ten_delays(std::size_t timers, std::uint64_t seed = 1);

/// Flows whose packets are paced, with ticks of 1 us. Each sends again after 50 to 500 us, which is
/// drawn anew each time.
Schedule pacing(std::size_t flows, std::uint64_t seed = 1);

}  // namespace timers::benches
