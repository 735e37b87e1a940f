#pragma once

/// What the clocks of the process tell.
///
/// Nobody may set the clock of the machine for a test. But a service asks the C library what time
/// it is, and there the kit answers in its place. It defines clock_gettime, gettimeofday and time,
/// which ask the system and change the answer. A wait in the kernel ends when it would have ended.
///
/// The test reads the same clocks. Under ThreadSanitizer, which defines these functions itself, it
/// is skipped.

#include "impls/clocks/instant.hpp"

namespace timers::real_time {

/// While it lives the clocks may be changed. At its end they are right again. One at a time.
class ClockReadings {
 public:
  /// Skips the test where that cannot be.
  ClockReadings();
  ClockReadings(const ClockReadings&) = delete;
  ClockReadings& operator=(const ClockReadings&) = delete;
  ~ClockReadings();

  /// Sets the wall clock: so far ahead of what is right, or behind it. In whole seconds.
  void set_wall_clock(Duration ahead);
  /// Has the monotonic clock move in steps: it tells when the last one began.
  void make_coarse(Duration step);
};

}  // namespace timers::real_time
