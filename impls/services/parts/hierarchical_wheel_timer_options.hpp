#pragma once

/// What a user may ask of a HierarchicalWheelTimer.

#include <chrono>
#include <cstddef>
#include <stdexcept>
#include <string>

#include "impls/clocks/instant.hpp"
#include "impls/services/parts/executor.hpp"
#include "impls/timer_service.hpp"

namespace timers {

struct HierarchicalWheelTimerOptions {
  enum class Rounding {
    up,   ///< Up to a tick late, never early.
    down  ///< Up to a tick early, never late. Only the wheels decide what is due: where they lag
          ///< behind, a timer without delay waits until they are moved on.
  };
  enum class Overflow {
    never_ends,   ///< A delay that leads beyond the last instant stays pending.
    runs_at_once  ///< Such a delay is over at once, like a sum that overflows and is negative.
  };
  enum class HandOver {
    revocable,   ///< A task that waits in the executor can be cancelled, and `stop` returns it.
    irrevocable  ///< It counts as running. `stop` waits for it if the executor is the timer's own.
  };

  /// How wide a bucket of the first wheel is.
  Duration tick_duration = std::chrono::milliseconds(1);
  /// How many buckets each wheel has, at least 2.
  std::size_t wheel_size = 20;
  Rounding rounding = Rounding::up;
  Overflow overflow = Overflow::never_ends;
  HandOver hand_over = HandOver::revocable;
  /// Whether a thread moves the timer on. If not, the user calls `advance_clock`.
  bool reaper = true;
  /// The reaper wakes up after this time at the latest, even if nothing is due.
  Duration longest_wait = Duration::max();
  /// The reaper rounds its reading of the clock down to such a step before it computes how long to
  /// sleep. So it may wake up late by a step.
  Duration clock_step = Duration(1);
  /// Where tasks run. nullptr means one thread of the timer's own. The executor must outlive the
  /// timer. If the executor refuses a task whose time has come, the task stays pending, and
  /// `on_error` gets the refusal.
  Executor* executor = nullptr;
  ErrorHandler on_error = print_error;

  /// These options. Throws std::invalid_argument if the longest wait or the clock step is not
  /// positive, or if a wheel has fewer than 2 buckets.
  const HierarchicalWheelTimerOptions& checked() const {
    if (longest_wait <= Duration::zero()) {
      throw std::invalid_argument("the longest wait must be at least 1 ns, and is " +
                                  std::to_string(longest_wait.count()) + " ns");
    }
    if (clock_step <= Duration::zero()) {
      throw std::invalid_argument("a step of the clock must be at least 1 ns, and is " +
                                  std::to_string(clock_step.count()) + " ns");
    }
    if (wheel_size < 2) {
      throw std::invalid_argument("a wheel needs at least 2 buckets, and got " +
                                  std::to_string(wheel_size));
    }
    return *this;
  }
};

}  // namespace timers
