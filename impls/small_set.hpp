#pragma once

/// A set of numbers below `kSize`, a bit for each, that finds its smallest members.

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace timers {

template <std::size_t kSize>
class SmallSet {
 public:
  void set(std::size_t number) { words_[number / 64] |= bit(number); }
  void clear(std::size_t number) { words_[number / 64] &= ~bit(number); }

  bool none() const {
    std::uint64_t all = 0;
    for (const std::uint64_t word : words_) all |= word;
    return all == 0;
  }

  /// The smallest, or kSize.
  std::size_t first() const { return first_from_word(0); }

  /// The smallest from `number` on, or kSize.
  std::size_t first_from(std::size_t number) const {
    if (number >= kSize) return kSize;
    const std::uint64_t rest = words_[number / 64] & (~std::uint64_t{0} << number % 64);
    if (rest == 0) return first_from_word(number / 64 + 1);
    return number / 64 * 64 + static_cast<std::size_t>(std::countr_zero(rest));
  }

 private:
  std::size_t first_from_word(std::size_t word) const {
    while (word < words_.size() && words_[word] == 0) ++word;
    if (word == words_.size()) return kSize;
    return 64 * word + static_cast<std::size_t>(std::countr_zero(words_[word]));
  }

  static std::uint64_t bit(std::size_t number) { return std::uint64_t{1} << number % 64; }

  std::array<std::uint64_t, (kSize + 63) / 64> words_{};
};

}  // namespace timers
