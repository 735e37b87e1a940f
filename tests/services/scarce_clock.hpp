#pragma once

/// A manual clock that gives only a limited number of threads.

#include <concepts>
#include <system_error>
#include <utility>

#include "impls/clocks/clock.hpp"

namespace timers {

struct ScarceClock : ManualClock {
  using Parker = ManualClock::Parker;

  struct Thread : ManualClock::Thread {
    template <std::invocable Body>
    Thread(ScarceClock& clock, Body body)
        : ManualClock::Thread(taken_from(clock), std::move(body)) {}

    static ManualClock& taken_from(ScarceClock& clock) {
      if (clock.threads_left == 0) {
        throw std::system_error(std::make_error_code(std::errc::resource_unavailable_try_again));
      }
      --clock.threads_left;
      return clock;
    }
  };

  explicit ScarceClock(int threads) : threads_left(threads) {}

  int threads_left;
};
static_assert(Clock<ScarceClock>);

}  // namespace timers
