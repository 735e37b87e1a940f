#include "benches/workloads/hold.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <queue>
#include <utility>
#include <vector>

#include "benches/workloads/random.hpp"

namespace timers::benches {

namespace {

constexpr double kLong = 1 << 20;
constexpr double kShort = 1 << 10;

/// A random increment, as a multiple of the mean.
using Draw = double (*)(Random&);

double exponential(Random& random) { return random.exponential(1); }
double uniform(Random& random) { return 2 * random.uniform(); }
double biased(Random& random) { return 0.9 + 0.2 * random.uniform(); }
double bimodal(Random& random) {
  const double near = 0.95238 * random.uniform();
  return random.uniform() < 0.1 ? near + 9.5238 : near;
}
double triangular(Random& random) { return 1.5 * std::sqrt(random.uniform()); }
double pareto(Random& random) { return 1 / random.uniform() - 1; }
double two_humps(Random& random) {
  constexpr double kWidth = 0.02;  // of each hump: together they have 2% of the span
  const double which = random.uniform();
  const double where = random.uniform();
  if (which >= 0.98) return 2 * where;
  return (which < 0.49 ? 0.5 : 1.5) + kWidth * (where - 0.5);
}

/// Timers that are set a random increment after now, and taken at their deadlines.
class EventList {
 public:
  EventList(double mean, std::uint64_t seed) : mean_(mean), random_(seed) {}

  bool empty() const { return pending_.empty(); }
  bool is_likely(double probability) { return random_.uniform() < probability; }

  void insert(Draw draw) {
    constexpr double kLongest = 1e15;
    const double increment = std::min(std::ceil(draw(random_) * mean_), kLongest);
    const Tick deadline = now_ + std::max<Tick>(static_cast<Tick>(increment), 1);
    if (free_slots_.empty()) free_slots_.push_back(slots_++);
    pending_.emplace(deadline, free_slots_.back());
    builder.insert(free_slots_.back(), deadline, ++line_);
    free_slots_.pop_back();
  }

  /// Moves time to the first deadline. Returns how many timers it takes there.
  std::size_t take() {
    now_ = pending_.top().first;
    builder.move_time(now_);
    std::size_t taken = 0;
    for (; !pending_.empty() && pending_.top().first == now_; ++taken) {
      free_slots_.push_back(pending_.top().second);
      pending_.pop();
    }
    return taken;
  }

  /// Makes `times` holds, or a few more if several timers share the last tick.
  void hold(Draw draw, std::size_t times) {
    for (std::size_t done = 0; done < times;) {
      const std::size_t taken = take();
      for (std::size_t i = 0; i < taken; ++i) insert(draw);
      done += taken;
    }
  }

  ScheduleBuilder builder;

 private:
  using Pending = std::pair<Tick, std::uint32_t>;  // a deadline and a slot

  double mean_;
  Random random_;
  Tick now_ = 0;
  std::uint32_t line_ = 0;
  std::uint32_t slots_ = 0;
  std::vector<std::uint32_t> free_slots_;  // last freed, first used, like memory
  std::priority_queue<Pending, std::vector<Pending>, std::greater<>> pending_;
};

std::size_t measured_with(std::size_t timers) {
  constexpr std::size_t kLeast = 20'000;
  constexpr std::size_t kMost = 2'000'000;
  return std::clamp(2 * timers, kLeast, kMost);
}

/// From the middle of the measurement on, increments are drawn by `later`.
Schedule hold(Draw draw, Draw later, double mean, std::size_t timers, std::uint64_t seed) {
  constexpr std::size_t kMostWithHistory = 100'000;  // if the increments do not change the order
  const std::size_t measured = measured_with(timers);
  EventList events(mean, seed);
  for (std::size_t i = 0; i < timers; ++i) events.insert(draw);
  if (draw != &exponential || timers <= kMostWithHistory) events.hold(draw, measured);
  events.builder.begin_measurement();
  events.hold(draw, measured / 2);
  events.hold(later, measured / 2);
  return std::move(events.builder).finish(Operation::insert);
}

Schedule hold(Draw draw, std::size_t timers, std::uint64_t seed) {
  return hold(draw, draw, kLong, timers, seed);
}

/// After an operation, the next one is of the same kind with probability `stay`.
Schedule markov(double stay, std::size_t timers, std::uint64_t seed) {
  EventList events(kLong, seed);
  for (std::size_t i = 0; i < timers; ++i) events.insert(&exponential);
  bool inserts = true;
  const auto live = [&](std::size_t inserts_left) {
    while (inserts_left > 0) {
      if (!events.is_likely(stay)) inserts = !inserts;
      if (inserts || events.empty()) {
        events.insert(&exponential);
        --inserts_left;
      } else {
        events.take();
      }
    }
  };
  live(measured_with(timers));
  events.builder.begin_measurement();
  live(measured_with(timers));
  return std::move(events.builder).finish(Operation::insert);
}

}  // namespace

Schedule hold_exponential(std::size_t timers, std::uint64_t seed) {
  return hold(&exponential, timers, seed);
}

Schedule hold_short(std::size_t timers, std::uint64_t seed) {
  return hold(&exponential, &exponential, kShort, timers, seed);
}

Schedule hold_uniform(std::size_t timers, std::uint64_t seed) {
  return hold(&uniform, timers, seed);
}

Schedule hold_biased(std::size_t timers, std::uint64_t seed) { return hold(&biased, timers, seed); }

Schedule hold_bimodal(std::size_t timers, std::uint64_t seed) {
  return hold(&bimodal, timers, seed);
}

Schedule hold_triangular(std::size_t timers, std::uint64_t seed) {
  return hold(&triangular, timers, seed);
}

Schedule hold_pareto(std::size_t timers, std::uint64_t seed) { return hold(&pareto, timers, seed); }

Schedule hold_two_humps(std::size_t timers, std::uint64_t seed) {
  return hold(&two_humps, timers, seed);
}

Schedule hold_changing(std::size_t timers, std::uint64_t seed) {
  return hold(&uniform, &exponential, kLong, timers, seed);
}

Schedule markov_50(std::size_t timers, std::uint64_t seed) { return markov(0.5, timers, seed); }

Schedule markov_90(std::size_t timers, std::uint64_t seed) { return markov(0.9, timers, seed); }

Schedule markov_99(std::size_t timers, std::uint64_t seed) { return markov(0.99, timers, seed); }

Schedule up_down(std::size_t timers, std::uint64_t seed) {
  EventList events(kLong, seed);
  for (std::size_t i = 0; i < timers; ++i) events.insert(&exponential);
  while (!events.empty()) events.take();
  return std::move(events.builder).finish(Operation::expiry);
}

}  // namespace timers::benches
