#pragma once

/// The cost of memory itself: the kinds of memory access of timer queues, without a queue.
///
/// Each class below makes its input, touches memory n times in `pass`, and checks in `prove` that
/// it did. A cell is a cache line. So n cells need as many lines as n timers need at least.

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <stdexcept>
#include <utility>
#include <vector>

#include "benches/workloads/random.hpp"

namespace timers::benches {

struct alignas(64) CacheLine {
  std::uint64_t value = 0;
};

/// Throws if `seen` is not the result of `passes` passes.
inline void check_touches(std::uint64_t seen, std::uint64_t expected, std::size_t passes) {
  if (seen != expected) {
    throw std::runtime_error(fmt::format(
        "wrong touches: checksum {:016x}, not {:016x} after {} passes", seen, expected, passes));
  }
}

/// For each of n numbers the next one, in a single random cycle through all (Sattolo 1986).
inline std::vector<std::uint32_t> single_cycle(std::size_t n) {
  std::vector<std::uint32_t> next(n);
  std::iota(next.begin(), next.end(), 0u);
  Random random(1);
  for (std::size_t i = n - 1; i > 0; --i) std::swap(next[i], next[random.next() % i]);
  return next;
}

/// The address of a touch depends on the touch before: a hop along a linked list, a step down a
/// tree of nodes, a cascade. This measures the latency of memory.
class Dependent {
 public:
  static constexpr const char* name = "dependent";

  explicit Dependent(std::size_t n) : Dependent(single_cycle(n)) {}
  explicit Dependent(const std::vector<std::uint32_t>& next) {
    lines_.reserve(next.size());
    for (const std::uint32_t number : next) lines_.push_back({number});
  }

  void pass() {
    std::uint64_t at = at_;
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < lines_.size(); ++i) {
      at = lines_[at].value;
      sum += at;
    }
    at_ = at;
    sum_ += sum;
  }

  /// Each pass ends where it began, and visits all numbers.
  void prove(std::size_t passes) const {
    const std::uint64_t n = lines_.size();
    check_touches(at_, 0, passes);
    check_touches(sum_, passes * (n * (n - 1) / 2), passes);
  }

 private:
  std::vector<CacheLine> lines_;
  std::uint64_t at_ = 0;
  std::uint64_t sum_ = 0;
};

/// The addresses are known in advance, so the processor has several touches in flight: the cancel
/// or re-arm of a timer in a wheel, whose handle leads straight to its cell. Reads and writes each
/// line once in random order. The array of these numbers is read in order.
class Independent {
 public:
  static constexpr const char* name = "independent";

  explicit Independent(std::size_t n) : lines_(n), targets_(n) {
    std::iota(targets_.begin(), targets_.end(), 0u);
    Random random(2);
    shuffle(targets_, random);
  }

  void pass() {
    for (const std::uint32_t target : targets_) ++lines_[target].value;
  }

  void prove(std::size_t passes) const {
    std::uint64_t seen = 0;
    for (std::size_t i = 0; i < lines_.size(); ++i) seen += lines_[i].value * (i + 1);
    std::uint64_t expected = 0;
    for (const std::uint32_t target : targets_) expected += std::uint64_t{target} + 1;
    check_touches(seen, passes * expected, passes);
  }

 private:
  std::vector<CacheLine> lines_;
  std::vector<std::uint32_t> targets_;
};

/// Writes 16 bytes after the last ones, in memory that was used before: an insert that stores a
/// deadline and a number, for example at the end of a heap or in the array of a bucket. No insert
/// is cheaper.
class Append {
 public:
  static constexpr const char* name = "append";

  explicit Append(std::size_t n) : count_(n), entries_(n) {}

  void pass() {
    ++passes_;
    entries_.clear();
    for (std::size_t i = 0; i < count_; ++i) entries_.push_back({passes_ + i, i});
  }

  /// Only the entries of the last pass are left.
  void prove(std::size_t passes) const {
    std::uint64_t seen = 0;
    for (const Entry& entry : entries_) seen += entry.deadline * (entry.task + 1);
    std::uint64_t expected = 0;
    for (std::size_t i = 0; i < count_; ++i) expected += (passes + i) * (i + 1);
    check_touches(seen, expected, passes);
  }

 private:
  struct Entry {
    std::uint64_t deadline;
    std::uint64_t task;
  };

  std::size_t count_;
  std::vector<Entry> entries_;
  std::uint64_t passes_ = 0;
};

/// Reads a word of each line, in the order of the lines: a sweep over all timers in the order of
/// their memory, for example to remove the dead. This measures the bandwidth of memory.
class Stream {
 public:
  static constexpr const char* name = "stream";

  explicit Stream(std::size_t n) : lines_(n) {
    Random random(3);
    for (CacheLine& line : lines_) {
      line.value = random.next();
      expected_ += line.value;
    }
  }

  void pass() {
    std::uint64_t sum = 0;
    for (const CacheLine& line : lines_) sum += line.value;
    sum_ += sum;
  }

  void prove(std::size_t passes) const { check_touches(sum_, passes * expected_, passes); }

 private:
  std::vector<CacheLine> lines_;
  std::uint64_t expected_ = 0;
  std::uint64_t sum_ = 0;
};

}  // namespace timers::benches
