#include "benches/workloads/periodic.hpp"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <vector>

#include "benches/workloads/random.hpp"
#include "benches/workloads/timeline.hpp"

namespace timers::benches {

namespace {

/// `timers` timers, each set again when it expires. `next_delay(timer)` says after how many ticks.
/// In each tick `rate` of them expire on average. Each begins at a random point of its first delay.
/// Then as many expiries follow as there are timers, to bring the memory into the order of the
/// steady state.
template <class NextDelay>
Schedule set_again(std::size_t timers, double rate, Random& random, NextDelay next_delay) {
  const auto measured = static_cast<double>(std::max<std::size_t>(2 * timers, 20'000));
  const Tick begin = static_cast<Tick>(std::ceil(static_cast<double>(timers) / rate));
  const Tick end = begin + whole_turns(measured / rate);
  Timeline timeline;
  for (std::size_t i = 0; i < timers; ++i) {
    // Each timer starts at a random point of its first delay. Its instant within a tick stays the
    // same, and so does its place among the timers of that tick.
    const double instant_in_tick = random.uniform();
    const double share = random.uniform();
    Tick deadline = 1 + static_cast<Tick>(share * static_cast<double>(next_delay(i)));
    Timeline::Timer timer = timeline.insert(0, deadline);
    while (deadline <= end) {
      timeline.expires(deadline, timer);
      const Tick next = deadline + next_delay(i);
      timer = timeline.insert(static_cast<double>(deadline) + instant_in_tick, next);
      deadline = next;
    }
  }
  return std::move(timeline).schedule(begin, end, Operation::insert);
}

Schedule of_delays(std::size_t timers, std::uint64_t seed, std::initializer_list<Tick> delays) {
  const std::vector<Tick> all(delays);
  double rate = 0;
  for (const Tick delay : all) {
    rate += static_cast<double>(timers) / static_cast<double>(all.size() * delay);
  }
  Random random(seed);
  return set_again(timers, rate, random,
                   [&](std::size_t timer) { return all[timer % all.size()]; });
}

}  // namespace

Schedule delays_only(std::size_t timers, std::uint64_t seed) {
  return of_delays(timers, seed, {20'000, 60'000});
}

Schedule one_delay(std::size_t timers, std::uint64_t seed) {
  return of_delays(timers, seed, {1'000});
}

Schedule three_delays(std::size_t timers, std::uint64_t seed) {
  return of_delays(timers, seed, {1'000, 5'000, 30'000});
}

Schedule ten_delays(std::size_t timers, std::uint64_t seed) {
  return of_delays(timers, seed,
                   {100, 200, 500, 1'000, 2'000, 5'000, 10'000, 20'000, 30'000, 60'000});
}

Schedule pacing(std::size_t flows, std::uint64_t seed) {
  constexpr Tick kShortest = 50;
  constexpr Tick kLongest = 500;
  constexpr double kMean = 275;
  Random random(seed);
  return set_again(flows, static_cast<double>(flows) / kMean, random, [&](std::size_t) {
    return kShortest + static_cast<Tick>(random.uniform() * (kLongest - kShortest + 1));
  });
}

}  // namespace timers::benches
