#pragma once

/// The laws of the contract that are checked after each call, as messages print them.

#include <cstddef>
#include <string>

#include "impls/timer_queue.hpp"

namespace timers::conformance::laws {

inline constexpr const char* kOnlyPending =
    "Only a pending timer runs, and none that was set at the end of time.";
inline constexpr const char* kToldDeadline = "A callback is told the deadline of its timer.";
inline constexpr const char* kNeverEarly = "No timer runs before its deadline.";
inline constexpr const char* kNextNotLate =
    "next_expiry is never later than the tick at which the next timer runs.";
inline constexpr const char* kNextExact = "next_expiry is exact, as the queue promises.";
inline constexpr const char* kInOrder = "Within one call, timers run by ascending deadline.";
inline constexpr const char* kFifo =
    "Timers of one deadline run in the order in which they were set.";
inline constexpr const char* kRunsAllThatIsDue = "expire runs all that is due.";
inline constexpr const char* kTellsHowManyRan = "expire returns how many timers ran.";
inline constexpr const char* kNestedDoesNothing =
    "An expire in a callback, or to the past, does nothing.";
inline constexpr const char* kSize = "size is the number of pending timers.";

}  // namespace timers::conformance::laws

namespace timers::conformance {

inline std::string tick_in_words(Tick tick) {
  constexpr Tick kNear = 1024;
  if (tick == kEndOfTime) return "kEndOfTime";
  if (tick > kEndOfTime - kNear) return "kEndOfTime - " + std::to_string(kEndOfTime - tick);
  return std::to_string(tick);
}

}  // namespace timers::conformance
