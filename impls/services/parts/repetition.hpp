#pragma once

/// Computes when the next run of a periodic timer begins: once for all services.

#include <cstdint>
#include <stdexcept>
#include <string>

#include "impls/clocks/instant.hpp"

namespace timers {

/// The instant from which the period counts.
enum class CountsFrom : std::uint8_t {
  plan,   ///< The instant for which the run was planned: a fixed rate, which catches up if late.
  start,  ///< The start of the run: the fixed delay of java.util.Timer.
  end     ///< The end of the run: the fixed delay of ScheduledThreadPoolExecutor.
};

/// How a timer repeats.
struct Repetition {
  Duration period;
  CountsFrom from;

  /// When the run after this one is due. The sum saturates, so that a period without end leads to
  /// no other run.
  Instant next(Instant planned, Instant started, Instant ended) const {
    switch (from) {
      case CountsFrom::plan:
        return after(planned, period);
      case CountsFrom::start:
        return after(started, period);
      case CountsFrom::end:
        return after(ended, period);
    }
    return Instant::max();
  }
};

/// Refuses a period in which no time passes.
inline void require_period(Duration period) {
  if (period > Duration::zero()) return;
  throw std::invalid_argument("a period must be at least 1 ns, and is " +
                              std::to_string(period.count()) + " ns");
}

}  // namespace timers
