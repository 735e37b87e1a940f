#include "benches/workloads/connections.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "benches/random.hpp"
#include "benches/workloads/timeline.hpp"

namespace timers::benches {

namespace {

constexpr std::uint64_t kSeed = 1;

constexpr std::size_t kMostRearms = 1'000'000;

std::size_t measured_rearms(std::size_t timers) {
  return std::clamp<std::size_t>(2 * timers, 50'000, kMostRearms);
}

}  // namespace

Schedule idle(std::size_t connections) {
  constexpr Tick kIdle = 60'000;
  constexpr double kMeanGap = 1'000;  // between messages of one connection
  const double gap = kMeanGap / static_cast<double>(connections);
  const auto rearms = static_cast<double>(measured_rearms(connections));
  const double begin = std::ceil(gap * static_cast<double>(std::min(connections, kMostRearms)));
  const double end = begin + std::ceil(gap * rearms);

  Random random(kSeed);
  Timeline timeline;
  for (std::size_t i = 0; i < connections; ++i) {
    const double age = std::min<double>(random.exponential(kMeanGap), 0.5 * kIdle);
    timeline.insert(0, kIdle - static_cast<Tick>(age));
  }
  for (double time = 1 + random.exponential(gap); time < end; time += random.exponential(gap)) {
    const auto connection =
        static_cast<Timeline::Timer>(random.uniform() * static_cast<double>(connections));
    timeline.rearm(time, connection, static_cast<Tick>(std::ceil(time)) + kIdle);
  }
  return std::move(timeline).schedule(static_cast<Tick>(begin), static_cast<Tick>(end),
                                      Operation::verb);
}

Schedule raft(std::size_t groups) {
  constexpr Tick kHeartbeat = 50;
  constexpr Tick kShortest = 150;
  constexpr Tick kLongest = 300;
  const double beats = static_cast<double>(measured_rearms(groups)) / static_cast<double>(groups);
  const Tick end = kHeartbeat + static_cast<Tick>(std::ceil(beats * kHeartbeat));

  Random random(kSeed);
  const auto election_delay = [&] {
    return kShortest + static_cast<Tick>(random.uniform() * (kLongest - kShortest + 1));
  };
  Timeline timeline;
  std::vector<double> phases(groups);
  for (double& phase : phases) {
    timeline.insert(0, election_delay());
    phase = 1 + random.uniform() * kHeartbeat;
  }
  for (Tick beat = 0; beat <= end; beat += kHeartbeat) {
    for (std::size_t i = 0; i < groups; ++i) {
      const double time = static_cast<double>(beat) + phases[i];
      timeline.rearm(time, static_cast<Timeline::Timer>(i),
                     static_cast<Tick>(std::ceil(time)) + election_delay());
    }
  }
  return std::move(timeline).schedule(kHeartbeat, end, Operation::verb);
}

}  // namespace timers::benches
