#pragma once

/// Which buckets of a wheel are in use: a bit for each, and a bit for each 64 of those that tells
/// where to look, so that the next bucket in use is found in a few words.
///
///     set, clear           O(1)
///     first, first_from    O(1) up to 4096 buckets, then a word for every 4096
///     grow                 O(n)

#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace timers {

/// A set of small numbers that finds its smallest member from a given one on.
class OccupancyBits {
 public:
  explicit OccupancyBits(std::size_t size)
      : words_((size + 63) / 64), summary_((size + 4095) / 4096) {}

  /// Makes the set larger. Throws std::bad_alloc; it has the same members then.
  void grow(std::size_t size) {
    summary_.resize((size + 4095) / 4096);
    words_.resize((size + 63) / 64);
  }

  void set(std::size_t bit) {
    words_[bit / 64] |= mask(bit);
    summary_[bit / 4096] |= mask(bit / 64);
  }

  void clear(std::size_t bit) {
    words_[bit / 64] &= ~mask(bit);
    summary_[bit / 4096] &= ~(std::uint64_t{words_[bit / 64] == 0} << (bit / 64 % 64));
  }

  std::optional<std::size_t> first() const { return first_in_summary(0, summary_.front()); }

  std::optional<std::size_t> first_from(std::size_t bit) const {
    const std::size_t word = bit / 64;
    if (word >= words_.size()) return std::nullopt;
    if (const std::uint64_t rest = words_[word] & from(bit)) return 64 * word + lowest(rest);
    return first_in_summary(word / 64, summary_[word / 64] & (from(word) << 1));
  }

 private:
  /// Looks into `rest` of the summary's word i, and into those after it.
  std::optional<std::size_t> first_in_summary(std::size_t i, std::uint64_t rest) const {
    while (rest == 0) {
      if (++i == summary_.size()) return std::nullopt;
      rest = summary_[i];
    }
    const std::size_t word = 64 * i + lowest(rest);
    return 64 * word + lowest(words_[word]);
  }

  static std::uint64_t mask(std::size_t bit) { return std::uint64_t{1} << (bit % 64); }
  static std::uint64_t from(std::size_t bit) { return ~std::uint64_t{0} << (bit % 64); }
  static std::size_t lowest(std::uint64_t word) {
    return static_cast<std::size_t>(std::countr_zero(word));
  }

  std::vector<std::uint64_t> words_;
  std::vector<std::uint64_t> summary_;  // bit i: words_[i] is not zero
};

}  // namespace timers
