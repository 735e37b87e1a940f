#pragma once

/// Real time in ticks of one length, which count from an origin.

#include <algorithm>
#include <cstdint>
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
    return std::min(since_origin(instant) / length_in_ns(), kEndOfTime - 1);
  }

  /// The first tick that is not before `instant`. For the last instant: a tick that never comes.
  Tick not_before(Instant instant) const {
    if (instant == Instant::max()) return kEndOfTime;
    const Nanoseconds since = since_origin(instant);
    return since / length_in_ns() + (since % length_in_ns() > 0 ? 1 : 0);
  }

  /// When a tick begins. The last instant if that is not earlier.
  Instant start_of(Tick tick) const {
    if (tick > since_origin(Instant::max()) / length_in_ns()) return Instant::max();
    return Instant(Duration(static_cast<Duration::rep>(bits(origin_) + tick * length_in_ns())));
  }

 private:
  /// Two instants may be twice as far apart as a Duration can tell. So their difference has no
  /// sign.
  using Nanoseconds = std::uint64_t;

  Nanoseconds since_origin(Instant instant) const { return bits(instant) - bits(origin_); }
  Nanoseconds length_in_ns() const { return static_cast<Nanoseconds>(length_.count()); }
  static Nanoseconds bits(Instant instant) {
    return static_cast<Nanoseconds>(instant.time_since_epoch().count());
  }

  Instant origin_;
  Duration length_;
};

}  // namespace timers
