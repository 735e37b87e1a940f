#include "benches/workloads/calls.hpp"

#include <algorithm>
#include <cmath>

#include "benches/workloads/random.hpp"
#include "benches/workloads/timeline.hpp"

namespace timers::benches {

namespace {}  // namespace

Schedule rpc(std::size_t pending, std::uint64_t seed) {
  constexpr double kDelay = 1000;
  constexpr double kMedian = 20;
  constexpr double kSigma = 1.62880;       // of a log-normal with the upper quartile at 60
  constexpr double kMeanLifetime = 67.45;  // the lesser of service time and delay, until noted
  constexpr double kMostCalls = 4'000'000;
  constexpr std::size_t kMostWithHistory = 1'000'000;
  const double mean_gap = kMeanLifetime / static_cast<double>(pending);
  const auto wanted = static_cast<double>(std::max<std::size_t>(2 * pending, 50'000));
  const auto ticks = static_cast<double>(whole_turns(mean_gap * wanted));
  const double begin = kDelay + std::ceil(kMeanLifetime);
  const double end = begin + std::min(ticks, std::ceil(mean_gap * kMostCalls));

  Random random(seed);
  Timeline timeline;
  for (double time = random.exponential(mean_gap); time < end + 1;
       time += random.exponential(mean_gap)) {
    const double response = time + random.log_normal(kMedian, kSigma);
    if (response < kDelay && pending > kMostWithHistory) continue;
    const auto deadline = static_cast<Tick>(std::ceil(time) + kDelay);
    const Timeline::Timer timer = timeline.insert(time, deadline);
    const Tick noted = static_cast<Tick>(response) + 1;
    if (noted < deadline) {
      timeline.cancel(static_cast<double>(noted) + (response - std::floor(response)), timer);
    } else {
      timeline.expires(deadline, timer);
    }
  }
  return std::move(timeline).schedule(static_cast<Tick>(begin), static_cast<Tick>(end),
                                      Operation::insert);
}

Schedule retry(std::size_t pending, std::uint64_t seed) {
  constexpr Tick kFirstDelay = 2'000;
  constexpr Tick kLastDelay = 16'000;
  constexpr double kMeanPending = 8'000;  // 2 s + 4 s / 2 + 8 s / 4 + 16 s / 8
  constexpr double kTries = 1.875;        // 1 + 1/2 + 1/4 + 1/8
  const double mean_gap = kMeanPending / static_cast<double>(pending);
  const auto measured = static_cast<double>(std::max<std::size_t>(2 * pending, 50'000));
  const double begin = 30'000;  // 2 + 4 + 8 + 16 s: from here on nothing remembers the start
  const double end = begin + static_cast<double>(whole_turns(measured * mean_gap / kTries));

  Random random(seed);
  Timeline timeline;
  for (double failed = random.exponential(mean_gap); failed < end + 1;
       failed += random.exponential(mean_gap)) {
    double time = failed;
    for (Tick delay = kFirstDelay; delay <= kLastDelay; delay *= 2) {
      const Tick deadline = static_cast<Tick>(std::ceil(time)) + delay;
      timeline.expires(deadline, timeline.insert(time, deadline));
      if (random.uniform() < 0.5) break;
      time = static_cast<double>(deadline) + (failed - std::floor(failed));
    }
  }
  return std::move(timeline).schedule(static_cast<Tick>(begin), static_cast<Tick>(end),
                                      Operation::insert);
}

}  // namespace timers::benches
