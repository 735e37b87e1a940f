#pragma once

/// What a user may ask of a HashedWheelTimer.

#include <bit>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>

#include "impls/clocks/instant.hpp"
#include "impls/services/parts/executor.hpp"
#include "impls/services/parts/ticks.hpp"
#include "impls/timer_service.hpp"

namespace timers {

struct HashedWheelTimerOptions {
  /// At which tick a timer runs if its deadline is exactly on a tick.
  enum class Rounding {
    up,        ///< At that tick.
    past_tick  ///< At the next one, as in Netty: so every timer is late, by up to a whole tick.
  };

  /// What the worker does while nothing is due.
  enum class Idle {
    sleep,  ///< It sleeps to the next tick in which a timer is due.
    tick    ///< It wakes at each tick, as in Netty.
  };

  /// Which timers are pending, for `pending()` and `max_pending_timeouts`.
  enum class Count {
    exact,      ///< Those that wait.
    by_worker,  ///< As in Netty: also cancelled ones, until the worker takes them out. After `stop`
                ///< there is no worker to do so.
  };

  Duration tick_duration = std::chrono::milliseconds(100);

  /// A shorter tick is raised to this length, with a warning. In Netty it is 1 ms.
  Duration least_tick_duration = Duration(1);

  /// The size of the ring, which is rounded up to a power of two.
  std::size_t ticks_per_wheel = 512;

  /// 0: as many as you like.
  std::size_t max_pending_timeouts = 0;

  Rounding rounding = Rounding::up;
  Idle idle = Idle::sleep;
  Count count = Count::exact;

  /// Runs the tasks. If it is nullptr, the worker does. It must outlive the timer. A timer that was
  /// handed over has expired, even if the executor refuses it: then `on_error` gets the refusal,
  /// and the task is lost. `stop` does not wait for tasks that were handed over.
  Executor* executor = nullptr;

  ErrorHandler on_error = print_error;

  /// Gets a warning about a use that works, but works badly. Must not throw.
  std::function<void(std::string_view)> on_warning = print_warning;

  static void print_warning(std::string_view warning) {
    std::fprintf(stderr, "timers: %.*s\n", static_cast<int>(warning.size()), warning.data());
  }

  void warn(const std::string& warning) const {
    if (on_warning) on_warning(warning);
  }

  /// These options, with a tick that is long enough and a ring whose size is a power of two. Throws
  /// std::invalid_argument if no time passes in a tick, if a turn takes 2^63 ns or more, or if
  /// `ticks_per_wheel` is 0 or more than 2^20.
  HashedWheelTimerOptions checked() const {
    constexpr std::size_t kMostTicks = 1 << 20;
    HashedWheelTimerOptions options = *this;
    require_tick(tick_duration);
    if (tick_duration < least_tick_duration) {
      warn("a tick of " + std::to_string(tick_duration.count()) + " ns is too short, and is made " +
           std::to_string(least_tick_duration.count()) + " ns long");
      options.tick_duration = least_tick_duration;
    }
    if (ticks_per_wheel == 0 || ticks_per_wheel > kMostTicks) {
      throw std::invalid_argument("a wheel has 1 to " + std::to_string(kMostTicks) +
                                  " ticks, and not " + std::to_string(ticks_per_wheel));
    }
    options.ticks_per_wheel = std::bit_ceil(ticks_per_wheel);
    const Duration too_long = Duration::max() / static_cast<Duration::rep>(options.ticks_per_wheel);
    if (options.tick_duration >= too_long) {
      throw std::invalid_argument("a tick must be shorter than " +
                                  std::to_string(too_long.count()) + " ns in a wheel of " +
                                  std::to_string(options.ticks_per_wheel) + ", and is " +
                                  std::to_string(options.tick_duration.count()) + " ns");
    }
    return options;
  }
};

}  // namespace timers
