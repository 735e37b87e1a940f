#pragma once

/// The processor use of the threads of a service: that of the process, less that of the thread that
/// watches.

#include <sys/resource.h>

#include <cerrno>
#include <system_error>

#include "benches/harness/services/processor_time.hpp"

namespace timers::benches {

struct ProcessorUse {
  double seconds = 0;
  /// How often a thread slept, for a deadline or for a lock; each time it had to be woken.
  double voluntary_switches = 0;
  /// How often a thread had to give its core to another one.
  double involuntary_switches = 0;

  friend ProcessorUse operator-(const ProcessorUse& a, const ProcessorUse& b) {
    return {a.seconds - b.seconds, a.voluntary_switches - b.voluntary_switches,
            a.involuntary_switches - b.involuntary_switches};
  }
};

/// The use of all threads of this process except the calling one, since the process began. Threads
/// that have ended count. If a thread runs on another core at the moment, its latest use may be
/// missing.
inline ProcessorUse use_of_other_threads() {
  const auto switches = [](int whose) {
    rusage usage{};
    if (getrusage(whose, &usage) != 0) throw std::system_error(errno, std::system_category());
    return ProcessorUse{0, static_cast<double>(usage.ru_nvcsw),
                        static_cast<double>(usage.ru_nivcsw)};
  };
  ProcessorUse use = switches(RUSAGE_SELF) - switches(RUSAGE_THREAD);
  use.seconds = processor_seconds() - thread_seconds();
  return use;
}

}  // namespace timers::benches
