#pragma once

/// Which buckets of a wheel are in use. There is a bit for each bucket, and a summary bit for each
/// 64 of these bits. So the next bucket in use is found in a few words.
///
///     set, clear           O(1)
///     first, first_from    O(1) up to 4096 buckets, then a word for every 4096
///     grow                 O(n)

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <type_traits>
#include <vector>

namespace timers {

/// A set of numbers below `Size` that finds its smallest member from a given number on. If `Size`
/// is 0, the size is set later, and the set can grow.
template <std::size_t Size = 0>
class OccupancyBits {
  static_assert(Size <= 4096, "a set whose size is fixed has one word that tells where to look");

 public:
  OccupancyBits() requires(Size != 0) = default;
  explicit OccupancyBits(std::size_t size) requires(Size == 0)
      : words_((size + 63) / 64), summary_((size + 4095) / 4096) {}

  /// Makes the set larger. If it throws std::bad_alloc, the members are the same.
  void grow(std::size_t size) requires(Size == 0) {
    summary_.resize((size + 4095) / 4096);
    words_.resize((size + 63) / 64);
  }

  void set(std::size_t bit) {
    words_[bit / 64] |= mask(bit);
    summary_[place_in_summary(bit)] |= mask(bit / 64);
  }

  void clear(std::size_t bit) {
    words_[bit / 64] &= ~mask(bit);
    summary_[place_in_summary(bit)] &= ~(std::uint64_t{words_[bit / 64] == 0} << (bit / 64 % 64));
  }

  std::optional<std::size_t> first() const { return first_in_summary(0, summary_.front()); }

  std::optional<std::size_t> first_from(std::size_t bit) const {
    const std::size_t word = bit / 64;
    if (word >= words_.size()) return std::nullopt;
    if (const std::uint64_t rest = words_[word] & from(bit)) return 64 * word + lowest(rest);
    const std::size_t place = place_in_summary(bit);
    return first_in_summary(place, summary_[place] & (from(word) << 1));
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

  static std::size_t place_in_summary(std::size_t bit) { return Size == 0 ? bit / 4096 : 0; }

  static std::uint64_t mask(std::size_t bit) { return std::uint64_t{1} << (bit % 64); }
  static std::uint64_t from(std::size_t bit) { return ~std::uint64_t{0} << (bit % 64); }
  static std::size_t lowest(std::uint64_t word) {
    return static_cast<std::size_t>(std::countr_zero(word));
  }

  template <std::size_t Count>
  using Words =
      std::conditional_t<Size == 0, std::vector<std::uint64_t>, std::array<std::uint64_t, Count>>;

  Words<(Size + 63) / 64> words_{};
  Words<1> summary_{};  // bit i: words_[i] is not zero
};

}  // namespace timers
