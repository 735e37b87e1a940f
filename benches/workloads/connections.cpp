#include "benches/workloads/connections.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "benches/workloads/random.hpp"
#include "benches/workloads/timeline.hpp"

namespace timers::benches {

Schedule idle(std::size_t connections, std::uint64_t seed) {
  constexpr Tick kIdle = 60'000;
  constexpr double kMeanGap = 1'000;  // between messages of one connection
  const double gap = kMeanGap / static_cast<double>(connections);
  constexpr std::size_t kMostRearms = 1'000'000;
  const auto rearms =
      static_cast<double>(std::clamp<std::size_t>(2 * connections, 50'000, kMostRearms));
  const double begin = std::ceil(gap * static_cast<double>(std::min(connections, kMostRearms)));
  const double end = begin + std::ceil(gap * rearms);

  Random random(seed);
  Timeline timeline;
  for (std::size_t i = 0; i < connections; ++i) {
    const double age = std::min<double>(random.exponential(kMeanGap), 0.5 * kIdle);
    timeline.insert(0, kIdle - static_cast<Tick>(age));
  }
  for (double time = 1 + random.exponential(gap); time < end + 1; time += random.exponential(gap)) {
    const auto connection =
        static_cast<Timeline::Timer>(random.uniform() * static_cast<double>(connections));
    timeline.rearm(time, connection, static_cast<Tick>(std::ceil(time)) + kIdle);
  }
  return std::move(timeline).schedule(static_cast<Tick>(begin), static_cast<Tick>(end),
                                      Operation::verb);
}

Schedule tcp(std::size_t pending, std::uint64_t seed) {
  constexpr Tick kSecond = 50'000;  // in ticks of 20 us
  constexpr Tick kIdle = 60 * kSecond;
  constexpr Tick kClose = 180 * kSecond;
  constexpr Tick kPace = kSecond / 5'000;
  constexpr double kMedian = 0.020 * kSecond;
  constexpr double kSigma = 1.62880;  // half within 20 ms, three quarters within 60 ms
  constexpr double kMeanService = 0.0675 * kSecond;
  constexpr double kOperations = 6;  // operations of a connection in one turn of its loop
  const std::size_t connections = std::max<std::size_t>(1, pending / 3);
  const auto measured = static_cast<double>(std::max<std::size_t>(2 * pending, 50'000));
  const double turn = kSecond + kPace + kMeanService;
  const double rate = kOperations * static_cast<double>(connections) / turn;
  const double begin = std::ceil(turn);
  const double end = begin + std::ceil(measured / rate);

  Random random(seed);
  Timeline timeline;
  for (std::size_t i = 0; i < connections; ++i) {
    const Timeline::Timer idle = timeline.insert(0, kIdle);
    Tick close = 1 + static_cast<Tick>(random.uniform() * kClose);
    Timeline::Timer closing = timeline.insert(0, close);
    while (static_cast<double>(close) <= end) {
      timeline.expires(close, closing);
      closing = timeline.insert(static_cast<double>(close), close + kClose);
      close += kClose;
    }
    Tick next = 1 + static_cast<Tick>(random.uniform() * turn);
    Timeline::Timer request = timeline.insert(0, next);
    while (static_cast<double>(next) <= end) {
      timeline.expires(next, request);
      const auto start = static_cast<double>(next);
      timeline.rearm(start, idle, next + kIdle);
      const Tick paced = next + kPace;
      timeline.expires(paced, timeline.insert(start, paced));
      const Timeline::Timer guard = timeline.insert(start, paced + kSecond);
      const double service = std::min<double>(random.log_normal(kMedian, kSigma), kSecond - 2);
      const Tick noted = static_cast<Tick>(static_cast<double>(paced) + service) + 1;
      timeline.cancel(static_cast<double>(noted), guard);
      timeline.rearm(static_cast<double>(noted), idle, noted + kIdle);
      next = noted + kSecond;
      request = timeline.insert(static_cast<double>(noted), next);
    }
  }
  return std::move(timeline).schedule(static_cast<Tick>(begin), static_cast<Tick>(end),
                                      Operation::verb);
}

Schedule raft(std::size_t groups, std::uint64_t seed) {
  constexpr Tick kHeartbeat = 50;
  constexpr Tick kShortest = 150;
  constexpr Tick kLongest = 300;
  const auto wanted = static_cast<double>(std::max<std::size_t>(2 * groups, 50'000));
  constexpr Tick kBegin = kLongest + kHeartbeat;
  const Tick end = kBegin + whole_turns(wanted / static_cast<double>(groups) * kHeartbeat);

  Random random(seed);
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
  return std::move(timeline).schedule(kBegin, end, Operation::verb);
}

}  // namespace timers::benches
