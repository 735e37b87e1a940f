#pragma once

/// Delays where threads often meet: when one reads a clock, takes or leaves a mutex, gets or gives
/// back memory, and when a task begins, ends and dies.
///
/// Many mistakes show only if a thread is held up between two steps that lie next to each other. A
/// test that waits for this to happen may wait for long, above all on a machine with few cores.
/// While an InjectedDelays lives, each thread of the process is held up at random there: it spins
/// for a moment, lets another thread run, or sleeps.
///
/// The kit defines pthread_mutex_lock and pthread_mutex_unlock, and in clock_readings.cpp what
/// reads clocks. Each of these calls the one of the system. ThreadSanitizer defines them itself:
/// under it there are delays only with memory and tasks.

namespace timers::real_time {

class InjectedDelays {
 public:
  InjectedDelays();
  InjectedDelays(const InjectedDelays&) = delete;
  InjectedDelays& operator=(const InjectedDelays&) = delete;
  ~InjectedDelays();
};

/// Holds the calling thread up at random, while delays are injected.
void hold_up();

}  // namespace timers::real_time
