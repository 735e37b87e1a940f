#pragma once

/// Which buckets of a wheel are in use: a bit for each, and a bit for each 64 of those that tells
/// where to look, so that the next bucket in use is found in a few words.
///
///     set, clear           O(1)
///     first, first_from    O(1); where the size can grow, and one for every 4096 buckets
///     grow                 O(n)

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace timers {

/// A set of numbers below `Size` that finds its smallest member from a given one on.
template <std::size_t Size>
class FixedOccupancyBits {
  static_assert(Size <= 64 * 64, "one word tells where to look");

 public:
  void set(std::size_t bit) {
    words_[bit / 64] |= mask(bit);
    summary_ |= mask(bit / 64);
  }

  void clear(std::size_t bit) {
    words_[bit / 64] &= ~mask(bit);
    if (words_[bit / 64] == 0) summary_ &= ~mask(bit / 64);
  }

  std::optional<std::size_t> first() const { return first_in(summary_); }

  std::optional<std::size_t> first_from(std::size_t bit) const {
    if (bit >= Size) return std::nullopt;
    const std::size_t word = bit / 64;
    if (const std::uint64_t rest = words_[word] & from(bit)) return 64 * word + lowest(rest);
    return first_in(summary_ & (from(word) << 1));
  }

 private:
  /// Looks into the words that `summary` tells of.
  std::optional<std::size_t> first_in(std::uint64_t summary) const {
    if (summary == 0) return std::nullopt;
    const std::size_t word = lowest(summary);
    return 64 * word + lowest(words_[word]);
  }

  static std::uint64_t mask(std::size_t bit) { return std::uint64_t{1} << (bit % 64); }
  static std::uint64_t from(std::size_t bit) { return ~std::uint64_t{0} << (bit % 64); }
  static std::size_t lowest(std::uint64_t word) {
    return static_cast<std::size_t>(std::countr_zero(word));
  }

  std::uint64_t summary_ = 0;  // bit i: words_[i] is not zero
  std::array<std::uint64_t, (Size + 63) / 64> words_{};
};

/// The same for numbers below a size that is known later, and can grow.
class OccupancyBits {
 public:
  explicit OccupancyBits(std::size_t size) : blocks_(blocks_for(size)) {}

  /// Makes the set larger. Throws std::bad_alloc; it has the same members then.
  void grow(std::size_t size) { blocks_.resize(blocks_for(size)); }

  void set(std::size_t bit) { blocks_[bit / kBlock].set(bit % kBlock); }
  void clear(std::size_t bit) { blocks_[bit / kBlock].clear(bit % kBlock); }

  std::optional<std::size_t> first() const { return first_in_blocks(0); }

  std::optional<std::size_t> first_from(std::size_t bit) const {
    const std::size_t block = bit / kBlock;
    if (block >= blocks_.size()) return std::nullopt;
    if (const auto found = blocks_[block].first_from(bit % kBlock)) return block * kBlock + *found;
    return first_in_blocks(block + 1);
  }

 private:
  static constexpr std::size_t kBlock = 4096;

  static std::size_t blocks_for(std::size_t size) { return (size + kBlock - 1) / kBlock; }

  std::optional<std::size_t> first_in_blocks(std::size_t begin) const {
    for (std::size_t block = begin; block < blocks_.size(); ++block) {
      if (const auto found = blocks_[block].first()) return block * kBlock + *found;
    }
    return std::nullopt;
  }

  std::vector<FixedOccupancyBits<kBlock>> blocks_;
};

}  // namespace timers
