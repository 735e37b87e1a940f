#pragma once

/// Real time in ticks of one length, which count from an origin.

#include <stdexcept>
#include <string>

#include "impls/clocks/instant.hpp"
#include "impls/timer_queue.hpp"

namespace timers {

/// Refuses ticks in which no time passes.
inline void require_tick(Duration length) {
  if (length > Duration::zero()) return;
  throw std::invalid_argument("a tick must be at least 1 ns, and is " +
                              std::to_string(length.count()) + " ns");
}

/// No instant that is given to it is before the origin.
class Ticks {
 public:
  /// Throws std::invalid_argument if no time passes in a tick.
  Ticks(Instant origin, Duration length) : origin_(origin), length_(length) {
    require_tick(length);
  }

  Duration length() const { return length_; }

  /// The last tick that is not after `instant`.
  Tick not_after(Instant instant) const {
    return static_cast<Tick>(span(origin_, instant) / length_);
  }

  /// The first tick that is not before `instant`. For the last instant: a tick that never comes.
  Tick not_before(Instant instant) const {
    if (instant == Instant::max()) return kEndOfTime;
    const Duration since = span(origin_, instant);
    return static_cast<Tick>(since / length_) + (since % length_ > Duration::zero() ? 1 : 0);
  }

  /// When a tick begins. The last instant if that is not earlier.
  Instant start_of(Tick tick) const {
    const auto last = static_cast<Tick>(Duration::max() / length_);
    if (tick > last) return Instant::max();
    return after(origin_, static_cast<Duration::rep>(tick) * length_);
  }

 private:
  Instant origin_;
  Duration length_;
};

}  // namespace timers
