#pragma once

/// Processor time of this process (all its threads together), and of a single thread.

#include <chrono>
#include <ctime>
#include <thread>

namespace timers::benches {

inline double seconds_of(clockid_t clock) {
  timespec time{};
  clock_gettime(clock, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

inline double processor_seconds() { return seconds_of(CLOCK_PROCESS_CPUTIME_ID); }

/// The processor time of the calling thread.
inline double thread_seconds() { return seconds_of(CLOCK_THREAD_CPUTIME_ID); }

/// Waits until no thread has work left. Only then the time is exact: the kernel adds the time of a
/// thread on another core when the thread stops, or otherwise at its next tick.
inline double processor_seconds_when_idle() {
  constexpr std::chrono::milliseconds kLongestTick{10};
  constexpr double kNothing = 1e-4;  // the processor time of a thread that wakes and sleeps on
  for (double before = processor_seconds();;) {
    std::this_thread::sleep_for(kLongestTick);
    const double now = processor_seconds();
    if (now - before < kNothing) return now;
    before = now;
  }
}

}  // namespace timers::benches
