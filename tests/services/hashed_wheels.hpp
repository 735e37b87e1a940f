#pragma once

/// Options of HashedWheelTimer for tests. The wheel is so small that its turns are short.

#include <chrono>
#include <cstddef>

#include "impls/clocks/clock.hpp"
#include "impls/services/hashed_wheel_timer.hpp"

namespace timers {

/// As in Netty, but with a small wheel.
inline HashedWheelTimerOptions netty(Duration tick_duration = std::chrono::milliseconds(100),
                                     std::size_t ticks_per_wheel = 8) {
  HashedWheelTimerOptions options = HashedWheelTimer<ManualClock>::as_in_netty();
  options.tick_duration = tick_duration;
  options.ticks_per_wheel = ticks_per_wheel;
  return options;
}

/// The defaults, with the same small wheel.
inline const HashedWheelTimerOptions kSmallWheel{.tick_duration = std::chrono::milliseconds(100),
                                                 .ticks_per_wheel = 8};

}  // namespace timers
