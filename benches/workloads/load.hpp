#pragma once

/// A load in the words of its user: connections, calls, periodic work and bursts.
///
/// It becomes a trace of its timers, as if it had been recorded. So whatever plays recordings can
/// play loads. At 0 all timers are set that are pending then, each with what is left of its delay.
/// So the load seems to have gone on for long.

#include <cstdint>
#include <string>
#include <vector>

#include "benches/traces/trace.hpp"

namespace timers::benches {

/// Connections, each with a limit on its silence. Messages come at random, and put the limit off.
/// When a limit runs out, the connection is closed, and a new one replaces it.
struct Connections {
  double pending = 0;
  double rearms_a_second = 0;  // of all connections together
  double limit_s = 0;
};

/// Calls with a time limit, which come at random. A given percentage gets its answer in time, and
/// the limit is cancelled. Without the limit, answer times would be log-normal: half within
/// `answer_ms`, and three quarters within three times that. If `answer_ms` is more than a tenth of
/// the limit, a tenth of the limit is used instead.
struct Calls {
  double a_second = 0;
  double limit_s = 0;
  double cancelled_percent = 0;
  double answer_ms = 0;
};

/// Timers that run once in each period, and are set again when they have run. Periodic work is
/// spread over the period at random. The timers of a burst are all due at the same instant.
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

/// How many timers the load sets, puts off and cancels in a second. The run of a timer does not
/// count, but the timer that is set after it does.
double operations_a_second(const Load& load);

/// How many timers are pending on average.
double mean_pending(const Load& load);

/// The shortest of all limits and periods.
double shortest_delay_s(const Load& load);

std::int64_t tick_ns_of(const Load& load);

/// What happens to the timers of the load in so many seconds. The same seed gives the same trace
/// everywhere.
Trace trace_of(const Load& load, double seconds, std::uint64_t seed = 1);

/// How long the pieces of a load are that queues play.
struct Extents {
  double before_s;    // until the memory has the order of the steady state
  double measured_s;  // whole periods of bursts; otherwise whole turns of 256 ticks
};
Extents extents_of(const Load& load);

}  // namespace timers::benches
