#pragma once

/// Plans: when timers are to be scheduled and when they are due, whatever the service does.

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <vector>

#include "benches/workloads/random.hpp"
#include "impls/clocks/instant.hpp"

namespace timers::benches {

/// A timer, by times from the beginning of its plan.
struct PlannedTimer {
  Duration call;  // when it is to be scheduled
  Duration due;
};

/// In the order of the calls.
using Plan = std::vector<PlannedTimer>;

/// How long before its deadline each timer is to be scheduled, at least.
inline Duration least_delay(const Plan& plan) {
  Duration least = Duration::max();
  for (const PlannedTimer& timer : plan) least = std::min(least, timer.due - timer.call);
  return least;
}

inline constexpr Duration kLeastDelay = std::chrono::milliseconds(10);

/// From 10 ms to 1 s, all alike.
inline Duration uniform_delay(Random& random) {
  constexpr Duration kMost = std::chrono::seconds(1);
  return kLeastDelay +
         std::chrono::duration_cast<Duration>((kMost - kLeastDelay) * random.uniform());
}

/// 10 ms or more, 100 ms on average.
inline Duration exponential_delay(Random& random) {
  constexpr Duration kMean = std::chrono::milliseconds(100);
  return kLeastDelay + Duration(static_cast<Duration::rep>(
                           random.exponential(static_cast<double>((kMean - kLeastDelay).count()))));
}

/// From one to two hours, all alike: of what is to be pending all along.
inline Duration in_one_to_two_hours(Random& random) {
  constexpr std::chrono::hours kHour(1);
  return kHour + std::chrono::duration_cast<Duration>(kHour * random.uniform());
}

/// So many calls a second, evenly, for 2 s.
inline Plan steady_plan(std::size_t calls_a_second, Duration (*delay)(Random&)) {
  constexpr std::chrono::seconds kSecond(1);
  Random random(3);
  Plan plan(2 * calls_a_second);
  for (std::size_t i = 0; i < plan.size(); ++i) {
    plan[i].call = Duration(kSecond) * i / calls_a_second;
    plan[i].due = plan[i].call + delay(random);
  }
  return plan;
}

/// So many timers a second, due evenly for so long, the first of them `lead` after the calls, which
/// are all at once.
inline Plan even_plan_ahead(double timers_a_second, Duration lead, Duration within) {
  const auto distance = std::chrono::duration<double>(1 / timers_a_second);
  Plan plan(static_cast<std::size_t>(within / distance));
  for (std::size_t i = 0; i < plan.size(); ++i) {
    const auto later = std::chrono::duration_cast<Duration>(distance * static_cast<double>(i));
    plan[i] = {Duration::zero(), lead + later};
  }
  return plan;
}

/// n calls at once, of timers due at random within so long, the first of them `lead` after the
/// calls.
inline Plan plan_ahead(std::size_t n, Duration lead, Duration within) {
  Random random(3);
  Plan plan(n);
  for (PlannedTimer& timer : plan) {
    timer = {Duration::zero(),
             lead + std::chrono::duration_cast<Duration>(within * random.uniform())};
  }
  return plan;
}

/// Whether all calls are to be made at once.
inline bool is_ahead(const Plan& plan) { return plan.back().call == Duration::zero(); }

}  // namespace timers::benches
