#include "benches/workloads/calls.hpp"

#include <algorithm>
#include <cmath>

#include "benches/random.hpp"
#include "benches/workloads/timeline.hpp"

namespace timers::benches {

namespace {

constexpr std::uint64_t kSeed = 1;
constexpr double kSigmaOfService = 1.62880;  // of a log-normal with quartile / median = 3

Tick tick_after(double time) { return static_cast<Tick>(time) + 1; }

}  // namespace

Schedule rpc(std::size_t pending) {
  constexpr double kDelay = 1000;
  constexpr double kMedian = 20;
  constexpr double kMeanLifetime = 67.45;  // the lesser of service time and delay, until noted
  const double mean_gap = kMeanLifetime / static_cast<double>(pending);
  const auto measured = std::clamp<std::size_t>(2 * pending, 50'000, 1'000'000);
  const double begin = kDelay + std::ceil(kMeanLifetime);
  const double end = begin + std::ceil(mean_gap * static_cast<double>(measured));

  Random random(kSeed);
  Timeline timeline;
  for (double time = random.exponential(mean_gap); time < end;
       time += random.exponential(mean_gap)) {
    const double response = time + random.log_normal(kMedian, kSigmaOfService);
    if (response < kDelay) continue;
    const auto deadline = static_cast<Tick>(std::ceil(time) + kDelay);
    const Timeline::Timer timer = timeline.insert(time, deadline);
    const Tick noted = tick_after(response);
    if (noted < deadline) {
      timeline.cancel(static_cast<double>(noted) + (response - std::floor(response)), timer);
    } else {
      timeline.expires(deadline, timer);
    }
  }
  return std::move(timeline).schedule(static_cast<Tick>(begin), static_cast<Tick>(end),
                                      Operation::insert);
}

Schedule tcp(std::size_t pending) {
  constexpr Tick kSecond = 50'000;  // of ticks of 20 us
  constexpr Tick kIdle = 60 * kSecond;
  constexpr Tick kClose = 180 * kSecond;
  constexpr Tick kPace = kSecond / 5'000;
  constexpr double kMedian = 0.020 * kSecond;
  constexpr double kMeanService = 0.0675 * kSecond;
  constexpr double kOperations = 6;  // of a connection in one turn of its loop
  const std::size_t connections = std::max<std::size_t>(1, pending / 3);
  const auto measured = static_cast<double>(std::max<std::size_t>(2 * pending, 50'000));
  const double turn = kSecond + kPace + kMeanService;
  const double rate = kOperations * static_cast<double>(connections) / turn;
  const double begin = std::ceil(turn);
  const double end = begin + std::ceil(measured / rate);

  Random random(kSeed);
  Timeline timeline;
  for (std::size_t i = 0; i < connections; ++i) {
    const Timeline::Timer idle = timeline.insert(0, kIdle);
    timeline.insert(0, 1 + static_cast<Tick>(random.uniform() * kClose) + kSecond);
    Tick next = 1 + static_cast<Tick>(random.uniform() * turn);
    Timeline::Timer request = timeline.insert(0, next);
    while (static_cast<double>(next) <= end) {
      timeline.expires(next, request);
      const auto start = static_cast<double>(next);
      timeline.rearm(start, idle, next + kIdle);
      const Tick paced = next + kPace;
      timeline.expires(paced, timeline.insert(start, paced));
      const Timeline::Timer guard = timeline.insert(start, paced + kSecond);
      const double service =
          std::min<double>(random.log_normal(kMedian, kSigmaOfService), kSecond - 2);
      const Tick noted = tick_after(static_cast<double>(paced) + service);
      timeline.cancel(static_cast<double>(noted), guard);
      timeline.rearm(static_cast<double>(noted), idle, noted + kIdle);
      next = noted + kSecond;
      request = timeline.insert(static_cast<double>(noted), next);
    }
  }
  return std::move(timeline).schedule(static_cast<Tick>(begin), static_cast<Tick>(end),
                                      Operation::verb);
}

Schedule retry(std::size_t pending) {
  constexpr Tick kFirstDelay = 2'000;
  constexpr Tick kLastDelay = 16'000;
  constexpr double kMeanPending = 8'000;  // 2 s + 4 s / 2 + 8 s / 4 + 16 s / 8
  constexpr double kTries = 1.875;        // 1 + 1/2 + 1/4 + 1/8
  const double mean_gap = kMeanPending / static_cast<double>(pending);
  const auto measured = static_cast<double>(std::max<std::size_t>(2 * pending, 50'000));
  const double begin = 30'000;  // 2 + 4 + 8 + 16 s: from here on nothing remembers the start
  const double end = begin + std::ceil(measured * mean_gap / kTries);

  Random random(kSeed);
  Timeline timeline;
  for (double failed = random.exponential(mean_gap); failed < end;
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
