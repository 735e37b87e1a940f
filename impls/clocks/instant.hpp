#pragma once

/// Points and spans of real time, as the services count them.

#include <algorithm>
#include <chrono>
#include <concepts>
#include <cstdint>
#include <utility>

namespace timers {

/// A span of time, in nanoseconds.
using Duration = std::chrono::nanoseconds;

/// A point in time of a clock that never goes back.
using Instant = std::chrono::time_point<std::chrono::steady_clock, Duration>;

/// What a clock does while the machine sleeps.
enum class OverSuspend {
  stands_still,  ///< A timer of an hour runs after an hour in which the machine was awake.
  goes_on        ///< It runs after an hour, or as soon as the machine wakes.
};

/// The instant `delay` after `start`. Saturates at the first instant and at the last one.
constexpr Instant after(Instant start, Duration delay) {
  if (delay > Duration::zero() && start > Instant::max() - delay) return Instant::max();
  if (delay < Duration::zero() && start < Instant::min() - delay) return Instant::min();
  return start + delay;
}

/// A delay as a caller gives it, in any unit of std::chrono that is whole nanoseconds. A value that
/// is too large for nanoseconds, such as very many years, becomes the longest span. One that is too
/// small becomes the shortest span.
class Delay {
 public:
  template <class Count, class Unit>
  requires std::convertible_to<std::chrono::duration<Count, Unit>, Duration>
  // NOLINTNEXTLINE(google-explicit-constructor): as between the units of std::chrono
  constexpr Delay(std::chrono::duration<Count, Unit> delay) : span_(saturated(delay)) {}

  // NOLINTNEXTLINE(google-explicit-constructor)
  constexpr operator Duration() const { return span_; }

 private:
  template <class Count, class Unit>
  static constexpr Duration saturated(std::chrono::duration<Count, Unit> delay) {
    using Widest = std::chrono::duration<std::int64_t, Unit>;
    constexpr std::int64_t kMost = std::chrono::duration_cast<Widest>(Duration::max()).count();
    if (std::cmp_greater(delay.count(), kMost)) return Duration::max();
    if (std::cmp_less(delay.count(), -kMost)) return Duration::min();
    return delay;
  }

  Duration span_;
};

/// When a delay that begins at `now` is over. A negative delay counts as zero.
constexpr Instant deadline_after(Instant now, Delay delay) {
  return after(now, std::max<Duration>(delay, Duration::zero()));
}

/// How long it is from `start` to `end`. Saturates at the longest span, in either direction.
constexpr Duration span(Instant start, Instant end) {
  const Duration from = start.time_since_epoch();
  const Duration to = end.time_since_epoch();
  if (from < Duration::zero() && to > Duration::max() + from) return Duration::max();
  if (from > Duration::zero() && to < Duration::min() + from) return Duration::min();
  return to - from;
}

}  // namespace timers
