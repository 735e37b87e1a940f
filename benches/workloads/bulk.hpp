#pragma once

/// A single verb, n times in a row: the queue is filled and emptied. Different seeds give workloads
/// that differ only by chance; a staircase has no randomness.

#include <cstddef>
#include <cstdint>

#include "benches/workloads/schedule.hpp"

namespace timers::benches {

/// Inserts n timers with delays uniform over an hour into a fresh queue, which has to grow.
Schedule insert_growing(std::size_t timers, std::uint64_t seed = 1);
/// The same for a queue that held as many timers before; all were cancelled, in random order.
Schedule insert_warm(std::size_t timers, std::uint64_t seed = 1);

/// Cancels n timers with delays uniform over an hour. The handles are read in the order of their
/// memory, whatever the order of the timers.
Schedule cancel_random(std::size_t timers, std::uint64_t seed = 1);
Schedule cancel_oldest_first(std::size_t timers, std::uint64_t seed = 1);
Schedule cancel_newest_first(std::size_t timers, std::uint64_t seed = 1);

/// Runs n timers with delays uniform over a minute, and over an hour, tick by tick. Ticks in which
/// no timer is due are included.
Schedule expire_within_a_minute(std::size_t timers, std::uint64_t seed = 1);
Schedule expire_within_an_hour(std::size_t timers, std::uint64_t seed = 1);

/// n timers have delays uniform over a minute. Runs those that are due in the first second, tick by
/// tick. An operation is a tick.
Schedule first_second(std::size_t timers, std::uint64_t seed = 1);

/// Runs n timers that are all due in the same tick. They are set at random times in the 256 ticks
/// before. In that tick no level of a wheel turns.
Schedule one_tick(std::size_t timers, std::uint64_t seed = 1);

/// Runs n timers at the edges of levels. Half of them are due at 2^24 - 1, 2^24 and 2^24 + 1, where
/// wheels of 8 and of 12 bits turn over. The others are due around the three multiples of 256
/// before and after that edge. They are set 1024 ticks before the edge; timers that are due after
/// it wait on a high level. The 2048 ticks around the edge are measured.
Schedule edges(std::size_t timers, std::uint64_t seed = 1);

/// The benchmark of libuv's timers: deadlines grow by one tick with every 1000 timers. The three
/// workloads insert all timers, run all tick by tick, and cancel all in the order of their inserts.
Schedule staircase_init(std::size_t timers, std::uint64_t seed = 1);
Schedule staircase_dispatch(std::size_t timers, std::uint64_t seed = 1);
Schedule staircase_clean_up(std::size_t timers, std::uint64_t seed = 1);

/// Moves time tick by tick while n timers wait that are due in an hour to a year. An operation is a
/// tick.
Schedule empty_ticks(std::size_t timers, std::uint64_t seed = 1);

/// Inserts n timers and runs them, with one call of `expire` at each distinct deadline. Delays are
/// log-uniform from 1 ms to a year; or half of them are about 1 s and half about 6 h, and each half
/// lies within a second. An operation is the whole life of a timer.
Schedule log_uniform(std::size_t timers, std::uint64_t seed = 1);
Schedule one_second_and_six_hours(std::size_t timers, std::uint64_t seed = 1);

}  // namespace timers::benches
