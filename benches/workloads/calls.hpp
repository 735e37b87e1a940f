#pragma once

/// Timers of clients: each guards something that is asked of somebody else.

#include <cstddef>
#include <cstdint>

#include "benches/workloads/schedule.hpp"

namespace timers::benches {

/// Calls of remote procedures. Each sets a timer of 1 s, cancelled by the response, which takes a
/// log-normal time (half within 20 ms, three quarters within 60 ms). One call in 123 gets no
/// response within the second: its timer expires.
///
/// Calls come at random (a Poisson process), however the queue keeps up. By Little's law n = rate x
/// mean lifetime, and a timer lives for 67.45 ms on average; so there are 14.8 n calls a second. A
/// response is noted in the tick after it came.
///
/// The queue is taken through the calls of the second before, since one that only marks what is
/// cancelled meets it when it would have been due; then through one n of calls; then 2 n, at least
/// 50'000, are measured, in whole turns of 256 ticks. Time and memory bound that: with more than
/// 10^4 pending, the second before is only those of its calls that are open at its end; and of
/// 4'000'000 calls with 10^7 pending, which are less than a turn, no level of a wheel cascades. An
/// operation is a call.
Schedule rpc(std::size_t pending, std::uint64_t seed = 1);

/// The same calls, each with a limit of its own: uniform from 10 ms to 1 s. One call in 17 gets no
/// response in time. A timer lives for 56 ms on average. At most 15 n calls come before the last n
/// that are not measured.
Schedule rpc_mixed(std::size_t pending, std::uint64_t seed = 1);

/// The same with limits log-uniform from 1 ms to a minute: two calls in seven get no response in
/// time. A timer lives for 44 ms on average. Of the calls of 4 s, those that are open 15 n calls
/// before the last n are there, too.
Schedule rpc_wide(std::size_t pending, std::uint64_t seed = 1);

/// Messages that failed, tried again after 2, 4, 8 and 16 s; every other try succeeds. All timers
/// expire, and the next is set in the tick in which the last ran.
///
/// Messages fail at random (a Poisson process); each has a timer pending for 8 s on average. After
/// 30 s, 2 n timers, and at least 50'000, are measured. An operation is a timer.
Schedule retry(std::size_t pending, std::uint64_t seed = 1);

}  // namespace timers::benches
