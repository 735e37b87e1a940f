#pragma once

/// One verb alone, n times in a row: the queue is filled, and emptied again. Workloads with another
/// seed differ only by chance; a staircase has none.

#include <cstddef>
#include <cstdint>

#include "benches/workloads/schedule.hpp"

namespace timers::benches {

/// Inserts n timers with delays uniform over an hour into a fresh queue, whose memory grows.
Schedule insert_growing(std::size_t timers, std::uint64_t seed = 1);
/// The same into a queue that held as many before; all were cancelled, in random order.
Schedule insert_warm(std::size_t timers, std::uint64_t seed = 1);

/// Cancels n timers with delays uniform over an hour. The caller finds their handles one after the
/// other in memory, whatever the order of the timers.
Schedule cancel_random(std::size_t timers, std::uint64_t seed = 1);
Schedule cancel_oldest_first(std::size_t timers, std::uint64_t seed = 1);
Schedule cancel_newest_first(std::size_t timers, std::uint64_t seed = 1);

/// Runs n timers with delays uniform over a minute, and over an hour, tick by tick. The ticks in
/// which none is due are a part of it.
Schedule expire_within_a_minute(std::size_t timers, std::uint64_t seed = 1);
Schedule expire_within_an_hour(std::size_t timers, std::uint64_t seed = 1);

/// Of n timers with delays uniform over a minute, runs those due in the first second, tick by tick.
/// An operation is a tick.
Schedule first_second(std::size_t timers, std::uint64_t seed = 1);

/// Runs n timers that are all due in the same tick, set at random within the 256 ticks before. In
/// that tick no level of a wheel turns.
Schedule one_tick(std::size_t timers, std::uint64_t seed = 1);

/// Runs n timers at the edges of levels: half of them at 2^24 - 1, 2^24 and 2^24 + 1, where the
/// wheels of 8 and of 12 bits turn over, the others around the three multiples of 256 before
/// and behind it. They are set 1024 ticks before the edge; what is due behind it waits on a high
/// level. The 2048 ticks around the edge are measured.
Schedule edges(std::size_t timers, std::uint64_t seed = 1);

/// Deadlines grow by a tick with every 1000 timers (libuv's benchmark of timers): inserts all, runs
/// all tick by tick, and cancels all as they were inserted.
Schedule staircase_init(std::size_t timers, std::uint64_t seed = 1);
Schedule staircase_dispatch(std::size_t timers, std::uint64_t seed = 1);
Schedule staircase_clean_up(std::size_t timers, std::uint64_t seed = 1);

/// Moves time tick by tick while n timers wait that are due in an hour to a year. An operation is a
/// tick.
Schedule empty_ticks(std::size_t timers, std::uint64_t seed = 1);

/// Inserts n timers and runs them, one call of `expire` at each distinct deadline. Delays are
/// log-uniform from 1 ms to a year; or half about 1 s and half about 6 h, within a second of each
/// other. An operation is the whole life of a timer.
Schedule log_uniform(std::size_t timers, std::uint64_t seed = 1);
Schedule one_second_and_six_hours(std::size_t timers, std::uint64_t seed = 1);

}  // namespace timers::benches
