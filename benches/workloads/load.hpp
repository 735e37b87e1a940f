#pragma once

/// A load in the words of one who has it: connections, calls, periodic work, bursts.
///
/// What happens to its timers is made as a trace, as if it had been recorded. So whatever plays
/// recordings plays loads. At 0 all timers are set that are pending then, with what is left of
/// their delays: the load seems to have gone on for long.

#include <cstdint>
#include <string>
#include <vector>

#include "benches/traces/trace.hpp"

namespace timers::benches {

/// Connections, each with a limit on its silence. Messages come at random and put it off. When a
/// limit runs out the connection is closed, and a new one takes its place.
struct Connections {
  double pending = 0;
  double rearms_a_second = 0;  // of all together
  double limit_s = 0;
};

/// Calls with a limit, which come at random. Of so many percent the answer comes in time, and the
/// limit is cancelled. An answer takes a log-normal time: of those without a limit, half come
/// within `answer_ms` and three quarters within three times that. If `answer_ms` is more than a
/// tenth of the limit, such a tenth takes its place.
struct Calls {
  double a_second = 0;
  double limit_s = 0;
  double cancelled_percent = 0;
  double answer_ms = 0;
};

/// Timers that run in each period, and are set again when they ran. Periodic work is spread evenly
/// at random; of a burst, all timers are due at the same instant.
struct Periodic {
  double timers = 0;
  double period_s = 0;
};

struct Load {
  double tick_ms = 1;
  std::vector<Connections> connections = {};
  std::vector<Calls> calls = {};
  std::vector<Periodic> periodic = {};
  std::vector<Periodic> bursts = {};
};

/// How many timers it sets, puts off and cancels in a second. A timer that runs is none of them,
/// but comes with another one that is set.
double operations_a_second(const Load& load);

/// How many timers are pending at a time, on average.
double mean_pending(const Load& load);

/// Of all limits and periods the shortest.
double shortest_delay_s(const Load& load);

std::int64_t tick_ns_of(const Load& load);

/// What happens to its timers in so many seconds. With the same seed it is the same everywhere.
Trace trace_of(const Load& load, double seconds, std::uint64_t seed = 1);

/// How long a piece of a load is played to queues.
struct Extents {
  double before_s;    // until the memory is in the order of the steady state
  double measured_s;  // whole periods of bursts, or else whole turns of 256 ticks
};
Extents extents_of(const Load& load);

}  // namespace timers::benches
