#pragma once

/// Changes what the clocks of the process report.
///
/// A test must not set the clock of the machine. But a service asks the C library for the time, and
/// there the kit answers. It defines clock_gettime, gettimeofday and time. They ask the system, and
/// change its answer. A wait in the kernel is not affected: it ends at its true time.
///
/// The test reads the same clocks. ThreadSanitizer defines these functions itself, so the test is
/// skipped there.

#include "impls/clocks/instant.hpp"

namespace timers::real_time {

/// While it lives, the clocks may be changed. Its destructor corrects them again. There may be one
/// at a time.
class ClockReadings {
 public:
  /// Skips the test if the clocks cannot be changed.
  ClockReadings();
  ClockReadings(const ClockReadings&) = delete;
  ClockReadings& operator=(const ClockReadings&) = delete;
  ~ClockReadings();

  /// Sets the wall clock ahead of the true time, or behind it. Only whole seconds count.
  void set_wall_clock(Duration ahead);
  /// Makes the monotonic clock move in steps: it reports the time at which the current step began.
  void make_coarse(Duration step);
};

}  // namespace timers::real_time
