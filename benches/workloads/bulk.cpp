#include "benches/workloads/bulk.hpp"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "benches/workloads/random.hpp"

namespace timers::benches {

namespace {

constexpr Tick kMinute = 60'000;
constexpr Tick kHour = 60 * kMinute;
constexpr Tick kYear = 365 * (24 * kHour);

/// Uniform in [first, last].
Tick uniform(Random& random, Tick first, Tick last) {
  return first + static_cast<Tick>(random.uniform() * static_cast<double>(last - first + 1));
}

std::vector<Tick> uniform_deadlines(std::size_t count, Tick last, std::uint64_t seed) {
  Random random(seed);
  std::vector<Tick> deadlines(count);
  for (Tick& deadline : deadlines) deadline = uniform(random, 1, last);
  return deadlines;
}

/// 0, 1, 2 …: the order of handles in memory, if timers are cancelled in the order of their
/// inserts.
std::vector<std::uint32_t> in_order(std::size_t count) {
  std::vector<std::uint32_t> numbers(count);
  std::iota(numbers.begin(), numbers.end(), 0);
  return numbers;
}

std::vector<std::uint32_t> shuffled(std::size_t count, std::uint64_t seed) {
  Random random(seed + 1);
  return random_order(count, random);
}

/// Builds a schedule that fills and empties a queue with timers of these deadlines.
class Bulk {
 public:
  explicit Bulk(const std::vector<Tick>& deadlines) : deadlines_(deadlines) {}

  /// Inserts all timers; slots[i] keeps the handle of timer i.
  void insert(const std::vector<std::uint32_t>& slots) {
    for (std::size_t i = 0; i < deadlines_.size(); ++i) {
      builder.insert(slots[i], deadlines_[i], ++line_);
    }
  }
  void insert() { insert(in_order(deadlines_.size())); }

  /// Cancels all timers in the order of their slots.
  void cancel() {
    for (std::uint32_t slot = 0; slot < deadlines_.size(); ++slot) builder.cancel(slot, ++line_);
  }

  /// Moves time tick by tick through (from, to].
  void move_time(Tick from, Tick to) {
    for (Tick tick = from + 1; tick <= to; ++tick) builder.move_time(tick);
  }

  ScheduleBuilder builder;

 private:
  const std::vector<Tick>& deadlines_;
  std::uint32_t line_ = 0;
};

Schedule cancel_all(const std::vector<Tick>& deadlines, const std::vector<std::uint32_t>& slots) {
  Bulk bulk(deadlines);
  bulk.insert(slots);
  bulk.builder.begin_measurement();
  bulk.cancel();
  return std::move(bulk.builder).finish(Operation::verb);
}

/// Runs all timers, tick by tick up to the last deadline.
Schedule expire_all(const std::vector<Tick>& deadlines) {
  Bulk bulk(deadlines);
  bulk.insert();
  bulk.builder.begin_measurement();
  bulk.move_time(0, *std::max_element(deadlines.begin(), deadlines.end()));
  return std::move(bulk.builder).finish(Operation::expiry);
}

/// Runs all timers, with one call at each distinct deadline. The last call is a quarter later: by
/// then a queue that may be late has also run all.
Schedule insert_and_expire_all(const std::vector<Tick>& deadlines) {
  Bulk bulk(deadlines);
  bulk.insert();
  std::vector<Tick> sorted = deadlines;
  std::sort(sorted.begin(), sorted.end());
  for (const Tick deadline : sorted) bulk.builder.move_time(deadline);
  bulk.builder.move_time(sorted.back() + sorted.back() / 4 + 1);
  return std::move(bulk.builder).finish(Operation::expiry);
}

std::vector<Tick> staircase(std::size_t timers) {
  std::vector<Tick> deadlines(timers);
  for (std::size_t i = 0; i < timers; ++i) deadlines[i] = 1 + i / 1000;
  return deadlines;
}

}  // namespace

Schedule insert_growing(std::size_t timers, std::uint64_t seed) {
  const std::vector<Tick> deadlines = uniform_deadlines(timers, kHour, seed);
  Bulk bulk(deadlines);
  bulk.insert();
  return std::move(bulk.builder).finish(Operation::verb);
}

Schedule insert_warm(std::size_t timers, std::uint64_t seed) {
  const std::vector<Tick> deadlines = uniform_deadlines(timers, kHour, seed);
  Bulk bulk(deadlines);
  bulk.insert(shuffled(timers, seed));
  bulk.cancel();
  bulk.builder.begin_measurement();
  bulk.insert();
  return std::move(bulk.builder).finish(Operation::verb);
}

Schedule cancel_random(std::size_t timers, std::uint64_t seed) {
  return cancel_all(uniform_deadlines(timers, kHour, seed), shuffled(timers, seed));
}

Schedule cancel_oldest_first(std::size_t timers, std::uint64_t seed) {
  return cancel_all(uniform_deadlines(timers, kHour, seed), in_order(timers));
}

Schedule cancel_newest_first(std::size_t timers, std::uint64_t seed) {
  std::vector<std::uint32_t> slots = in_order(timers);
  std::reverse(slots.begin(), slots.end());
  return cancel_all(uniform_deadlines(timers, kHour, seed), slots);
}

Schedule expire_within_a_minute(std::size_t timers, std::uint64_t seed) {
  return expire_all(uniform_deadlines(timers, kMinute, seed));
}

Schedule expire_within_an_hour(std::size_t timers, std::uint64_t seed) {
  return expire_all(uniform_deadlines(timers, kHour, seed));
}

Schedule first_second(std::size_t timers, std::uint64_t seed) {
  constexpr Tick kSecond = 1'000;
  const std::vector<Tick> deadlines = uniform_deadlines(timers, kMinute, seed);
  Bulk bulk(deadlines);
  bulk.insert();
  bulk.builder.begin_measurement();
  bulk.move_time(0, kSecond);
  return std::move(bulk.builder).finish(Operation::call);
}

Schedule one_tick(std::size_t timers, std::uint64_t seed) {
  constexpr Tick kDue = 600;  // at this tick no level of a wheel turns
  constexpr Tick kSpan = 256;
  Random random(seed);
  std::vector<Tick> set_at(timers);
  for (Tick& tick : set_at) tick = uniform(random, kDue - kSpan, kDue - 1);
  std::sort(set_at.begin(), set_at.end());
  ScheduleBuilder builder;
  for (std::uint32_t i = 0; i < timers; ++i) {
    builder.move_time(set_at[i]);
    builder.insert(i, kDue, i + 1);
  }
  builder.move_time(kDue - 1);
  builder.begin_measurement();
  builder.move_time(kDue);
  return std::move(builder).finish(Operation::expiry);
}

Schedule edges(std::size_t timers, std::uint64_t seed) {
  constexpr Tick kEdge = Tick{1} << 24;
  constexpr Tick kHalfSpan = 1024;
  Random random(seed);
  std::vector<Tick> deadlines(timers);
  for (Tick& deadline : deadlines) {
    // Multiples 0 to 6 of 256; number 3 is the edge itself.
    Tick multiple = 3;
    if (random.uniform() < 0.5) multiple = (4 + uniform(random, 0, 5)) % 7;
    deadline = kEdge + multiple * 256 - 769 + uniform(random, 0, 2);
  }
  Bulk bulk(deadlines);
  bulk.builder.move_time(kEdge - kHalfSpan);
  bulk.insert();
  bulk.builder.begin_measurement();
  bulk.move_time(kEdge - kHalfSpan, kEdge + kHalfSpan);
  return std::move(bulk.builder).finish(Operation::expiry);
}

Schedule staircase_init(std::size_t timers, std::uint64_t /*seed*/) {
  const std::vector<Tick> deadlines = staircase(timers);
  Bulk bulk(deadlines);
  bulk.insert();
  return std::move(bulk.builder).finish(Operation::verb);
}

Schedule staircase_dispatch(std::size_t timers, std::uint64_t /*seed*/) {
  return expire_all(staircase(timers));
}

Schedule staircase_clean_up(std::size_t timers, std::uint64_t /*seed*/) {
  return cancel_all(staircase(timers), in_order(timers));
}

Schedule empty_ticks(std::size_t timers, std::uint64_t seed) {
  constexpr Tick kTicks = 100'000;
  Random random(seed);
  std::vector<Tick> deadlines(timers);
  for (Tick& deadline : deadlines) deadline = uniform(random, kHour, kYear);
  Bulk bulk(deadlines);
  bulk.insert();
  bulk.builder.begin_measurement();
  bulk.move_time(0, kTicks);
  return std::move(bulk.builder).finish(Operation::call);
}

Schedule log_uniform(std::size_t timers, std::uint64_t seed) {
  constexpr unsigned kHalvings = 35;  // a year has 2^34.9 ticks
  Random random(seed);
  std::vector<Tick> deadlines(timers);
  for (Tick& deadline : deadlines) {
    // Uniform within an octave, and all octaves are equally likely: this is log-uniform except for
    // the steps between octaves.
    const Tick octave = Tick{1} << uniform(random, 0, kHalvings - 1);
    deadline = std::min(uniform(random, octave, 2 * octave - 1), kYear);
  }
  return insert_and_expire_all(deadlines);
}

Schedule one_second_and_six_hours(std::size_t timers, std::uint64_t seed) {
  constexpr Tick kSecond = 1'000;
  Random random(seed);
  std::vector<Tick> deadlines(timers);
  for (std::size_t i = 0; i < timers; ++i) {
    deadlines[i] = (i % 2 == 0 ? kSecond : 6 * kHour) + uniform(random, 0, kSecond - 1);
  }
  return insert_and_expire_all(deadlines);
}

}  // namespace timers::benches
