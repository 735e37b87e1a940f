#pragma once

/// When a thread was off its processor. What it timed during an absence is not its own time.

#include <sys/resource.h>

#include <chrono>
#include <ctime>

namespace timers::benches {

/// The absence of a thread, since it began or between two readings.
struct Absence {
  long switches = 0;   // how often it was taken off the processor, or left it to wait
  double seconds = 0;  // by how much longer it lived than it ran

  friend Absence operator-(const Absence& a, const Absence& b) {
    return {a.switches - b.switches, a.seconds - b.seconds};
  }
};

/// The absence of the calling thread since it began. The seconds have an arbitrary zero point, so
/// only differences are meaningful. The call takes half a microsecond.
inline Absence absence_so_far() {
  rusage usage{};
  getrusage(RUSAGE_THREAD, &usage);
  timespec ran{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ran);
  const std::chrono::nanoseconds lived = std::chrono::steady_clock::now().time_since_epoch();
  const std::chrono::nanoseconds on_processor =
      std::chrono::seconds(ran.tv_sec) + std::chrono::nanoseconds(ran.tv_nsec);
  return {.switches = usage.ru_nvcsw + usage.ru_nivcsw,
          .seconds = std::chrono::duration<double>(lived - on_processor).count()};
}

/// A time, and the absence of the thread during it.
struct Timing {
  double seconds = 0;
  Absence absence{};
};

/// Calls `run`, which returns how many seconds it took, and adds the absence.
template <class Run>
Timing with_absence(Run run) {
  const Absence before = absence_so_far();
  const double seconds = run();
  return {seconds, absence_so_far() - before};
}

}  // namespace timers::benches
