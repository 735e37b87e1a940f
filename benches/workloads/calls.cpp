#include "benches/workloads/calls.hpp"

#include <algorithm>
#include <cmath>

#include "benches/workloads/random.hpp"
#include "benches/workloads/timeline.hpp"

namespace timers::benches {

namespace {

/// After how many ticks a call is given up.
struct Limit {
  Tick (*draw)(Random&);
  double past;           // in ticks: hardly any call that began earlier is still open
  double mean_lifetime;  // of a timer, in ticks: the lesser of service time and limit, until it is
                         // recorded
};

Schedule calls_with(const Limit& limit, std::size_t pending, std::uint64_t seed) {
  constexpr double kMedian = 20;
  constexpr double kSigma = 1.62880;  // of a log-normal with the upper quartile at 60
  constexpr double kMostCalls = 4'000'000;
  constexpr double kMostHistory = 15;  // calls for each pending timer
  constexpr std::size_t kMostWithHistory = 10'000;
  const double mean_gap = limit.mean_lifetime / static_cast<double>(pending);
  const auto wanted = static_cast<double>(std::max<std::size_t>(2 * pending, 50'000));
  const auto ticks = static_cast<double>(whole_turns(mean_gap * wanted));
  const double begin = limit.past + std::ceil(limit.mean_lifetime);
  const double end = begin + std::min(ticks, std::ceil(mean_gap * kMostCalls));
  const double history =
      pending > kMostWithHistory ? 0 : std::ceil(kMostHistory * limit.mean_lifetime);
  const double all_from = std::max(limit.past - history, 0.0);

  Random random(seed);
  Timeline timeline;
  for (double time = random.exponential(mean_gap); time < end + 1;
       time += random.exponential(mean_gap)) {
    const Tick deadline = static_cast<Tick>(std::ceil(time)) + limit.draw(random);
    if (static_cast<double>(deadline) < all_from) continue;
    const double response = time + random.log_normal(kMedian, kSigma);
    if (response < all_from) continue;
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

}  // namespace

Schedule rpc(std::size_t pending, std::uint64_t seed) {
  const auto draw = [](Random&) -> Tick { return 1'000; };
  return calls_with({.draw = draw, .past = 1'000, .mean_lifetime = 67.45}, pending, seed);
}

Schedule rpc_mixed(std::size_t pending, std::uint64_t seed) {
  const auto draw = [](Random& random) {
    return static_cast<Tick>(10 + 991 * random.uniform());  // 10 to 1000
  };
  return calls_with({.draw = draw, .past = 1'000, .mean_lifetime = 56.01}, pending, seed);
}

Schedule rpc_wide(std::size_t pending, std::uint64_t seed) {
  const auto draw = [](Random& random) {
    return static_cast<Tick>(random.log_uniform(1, 60'001));  // 1 to 60000
  };
  return calls_with({.draw = draw, .past = 4'000, .mean_lifetime = 43.82}, pending, seed);
}

Schedule retry(std::size_t pending, std::uint64_t seed) {
  constexpr Tick kFirstDelay = 2'000;
  constexpr Tick kLastDelay = 16'000;
  constexpr double kMeanPending = 8'000;  // 2 s + 4 s / 2 + 8 s / 4 + 16 s / 8
  constexpr double kTries = 1.875;        // 1 + 1/2 + 1/4 + 1/8
  const double mean_gap = kMeanPending / static_cast<double>(pending);
  const auto measured = static_cast<double>(std::max<std::size_t>(2 * pending, 50'000));
  const double begin = 30'000;  // 2 + 4 + 8 + 16 s: from here on the start has no influence
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
