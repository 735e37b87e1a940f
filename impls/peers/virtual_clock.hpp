#pragma once

/// The clock of libraries that read theirs by `clock_gettime`.
///
/// virtual_clock.cpp defines a function of that name. It replaces that of the C library in every
/// program that it is linked into: only those that test and measure such libraries. It tells a
/// thread the time of its latest VirtualClock while there is one, and the real time otherwise. Such
/// a program is linked dynamically.

#include <ctime>

namespace timers {

class VirtualClock {
 public:
  /// From here on this thread reads `time`, whichever clock it asks for.
  explicit VirtualClock(timespec time);
  ~VirtualClock();
  VirtualClock(const VirtualClock&) = delete;
  VirtualClock& operator=(const VirtualClock&) = delete;

  timespec time() const { return time_; }

 private:
  timespec time_;
  const VirtualClock* before_;
};

}  // namespace timers
