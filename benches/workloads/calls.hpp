#pragma once

/// Timers of clients: each guards a request to another program.

#include <cstddef>
#include <cstdint>

#include "benches/workloads/schedule.hpp"

namespace timers::benches {

/// Remote procedure calls. Each call sets a timer of 1 s, which the response cancels. Response
/// times are log-normal (half within 20 ms, three quarters within 60 ms). One call in 123 gets no
/// response within the second, and its timer expires.
///
/// Calls come at random (a Poisson process), whatever the speed of the queue. By Little's law n =
/// rate x mean lifetime, and a timer lives for 67.45 ms on average. So there are 14.8 n calls a
/// second. A response is recorded in the tick after it came.
///
/// The queue first goes through the calls of the second before, because a queue that only marks
/// cancelled timers meets them again at their deadlines. Then it goes through one n of calls. Then
/// 2 n calls, at least 50'000, are measured, in whole turns of 256 ticks. There are two exceptions,
/// because time and memory are limited. With more than 10^4 pending timers, the second before has
/// only those of its calls that are still open at its end. With 10^7 pending timers 4'000'000 calls
/// are measured: this is less than a turn, so no level of a wheel cascades. An operation is a call.
Schedule rpc(std::size_t pending, std::uint64_t seed = 1);

/// The same calls, each with its own limit: uniform from 10 ms to 1 s. One call in 17 gets no
/// response in time. A timer lives for 56 ms on average. At most 15 n calls come before the last n
/// calls that are not measured.
Schedule rpc_mixed(std::size_t pending, std::uint64_t seed = 1);

/// The same with limits that are log-uniform from 1 ms to a minute: two calls in seven get no
/// response in time. A timer lives for 44 ms on average. Of the calls of the 4 s before, those that
/// are still open 15 n calls before the last n are also included.
Schedule rpc_wide(std::size_t pending, std::uint64_t seed = 1);

/// Messages that failed and are sent again after 2, 4, 8 and 16 s; every other try succeeds. All
/// timers expire. The next timer of a message is set in the tick in which its last one ran.
///
/// Messages fail at random (a Poisson process). Each has a pending timer for 8 s on average. After
/// 30 s, 2 n timers, at least 50'000, are measured. An operation is a timer.
Schedule retry(std::size_t pending, std::uint64_t seed = 1);

}  // namespace timers::benches
