#pragma once

/// Delays at the points where threads often meet: when a thread reads a clock, locks or unlocks a
/// mutex, allocates or frees memory; and when a task begins, ends and is destroyed.
///
/// Many mistakes show only if a thread is delayed between two adjacent steps. A test may wait long
/// until this happens, above all on a machine with few cores. While an InjectedDelays lives, each
/// thread of the process is delayed at random at these points: it spins for a moment, lets another
/// thread run, or sleeps.
///
/// The kit defines pthread_mutex_lock and pthread_mutex_unlock here, and the functions that read
/// clocks in clock_readings.cpp. Each of them calls the function of the system. ThreadSanitizer
/// defines them itself: under it only memory and tasks have delays.

namespace timers::real_time {

class InjectedDelays {
 public:
  InjectedDelays();
  InjectedDelays(const InjectedDelays&) = delete;
  InjectedDelays& operator=(const InjectedDelays&) = delete;
  ~InjectedDelays();
};

/// Delays the calling thread at random, while delays are injected.
void hold_up();

}  // namespace timers::real_time
