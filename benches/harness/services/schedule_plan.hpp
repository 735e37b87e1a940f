#pragma once

/// Plans: when timers are scheduled and when they are due, whatever the service does.

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "benches/workloads/random.hpp"
#include "impls/clocks/instant.hpp"

namespace timers::benches {

/// A timer, with times from the beginning of its plan.
struct PlannedTimer {
  Duration call;  // when it is scheduled
  Duration due;
};

/// Timers in the order of their calls.
using Plan = std::vector<PlannedTimer>;

inline bool is_due_before(const PlannedTimer& a, const PlannedTimer& b) { return a.due < b.due; }

/// The part of a plan that is measured. A timer that is due before the window runs like the rest. A
/// timer that is due after it stays pending, and must be due long after it.
struct Window {
  Duration begin = Duration::zero();
  Duration end = Duration::max();
};

/// A plan with its window.
struct Piece {
  Plan plan;
  Window window;
};

inline constexpr Duration kLeastDelay = std::chrono::milliseconds(10);

/// Uniform from 10 ms to 1 s.
inline Duration uniform_delay(Random& random) {
  constexpr Duration kMost = std::chrono::seconds(1);
  return kLeastDelay +
         std::chrono::duration_cast<Duration>((kMost - kLeastDelay) * random.uniform());
}

/// At least 10 ms, and 100 ms on average.
inline Duration exponential_delay(Random& random) {
  constexpr Duration kMean = std::chrono::milliseconds(100);
  return kLeastDelay + Duration(static_cast<Duration::rep>(
                           random.exponential(static_cast<double>((kMean - kLeastDelay).count()))));
}

/// Uniform from one to two hours: for timers that must stay pending all the time.
inline Duration in_one_to_two_hours(Random& random) {
  constexpr std::chrono::hours kHour(1);
  return kHour + std::chrono::duration_cast<Duration>(kHour * random.uniform());
}

/// A piece of this length of a continuous load of `calls_a_second`. The load began long before and
/// goes on after. The timers that are pending when the piece begins are all scheduled at once. The
/// first of them is due `lead` later. After another tenth of a second the service is in its steady
/// state, and the window begins. A timer that would be due after the window gets a deadline an hour
/// later, so that it stays pending. So the service files it as it files timers with long delays.
inline Piece steady_piece(std::size_t calls_a_second, Duration (*delay)(Random&), Duration lead,
                          Duration length, std::uint64_t seed) {
  constexpr std::chrono::seconds kSecond(1);
  constexpr Duration kPast = kSecond;  // Hardly any delay is longer.
  constexpr Duration kWarmUp = std::chrono::milliseconds(100);
  constexpr Duration kPutOff = std::chrono::hours(1);
  const Duration end = lead + kWarmUp + length;
  Random random(seed);
  Piece piece{{}, {lead + kWarmUp, end}};
  for (std::size_t i = 0;; ++i) {
    const Duration call = lead - kPast + Duration(kSecond) * i / calls_a_second;
    if (call >= end) return piece;
    const Duration due = call + delay(random);
    if (due < lead) continue;  // It has run.
    piece.plan.push_back({call < lead ? Duration::zero() : call, due < end ? due : due + kPutOff});
  }
}

/// `timers_a_second` timers, due at equal distances during `within`. All calls are at the
/// beginning, and the first timer is due `lead` after them.
inline Plan even_plan_ahead(double timers_a_second, Duration lead, Duration within) {
  const auto distance = std::chrono::duration<double>(1 / timers_a_second);
  Plan plan(static_cast<std::size_t>(within / distance));
  for (std::size_t i = 0; i < plan.size(); ++i) {
    const auto later = std::chrono::duration_cast<Duration>(distance * static_cast<double>(i));
    plan[i] = {Duration::zero(), lead + later};
  }
  return plan;
}

/// The same, but each timer is due at a random time before the next one would be. Timers at equal
/// distances might all have the same phase within a tick.
inline Plan uneven_plan_ahead(double timers_a_second, Duration lead, Duration within) {
  Random random(5);
  const auto distance = std::chrono::duration<double>(1 / timers_a_second);
  Plan plan = even_plan_ahead(timers_a_second, lead, within);
  for (PlannedTimer& timer : plan) {
    timer.due += std::chrono::duration_cast<Duration>(distance * random.uniform());
  }
  return plan;
}

/// n calls at the beginning. Their timers are due at random times during `within`, which begins
/// `lead` after the calls.
inline Plan plan_ahead(std::size_t n, Duration lead, Duration within) {
  Random random(3);
  Plan plan(n);
  for (PlannedTimer& timer : plan) {
    timer = {Duration::zero(),
             lead + std::chrono::duration_cast<Duration>(within * random.uniform())};
  }
  return plan;
}

}  // namespace timers::benches
