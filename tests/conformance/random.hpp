#pragma once

/// Random numbers that are the same with every compiler and library. The distributions of std give
/// other numbers with other libraries.

#include <cstdint>

namespace timers::conformance {

/// SplitMix64, by Sebastiano Vigna: a few shifts and multiplications for each number, good for any
/// seed.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}

  /// Any number.
  std::uint64_t bits() {
    std::uint64_t mixed = state_ += 0x9E3779B97F4A7C15;
    mixed = (mixed ^ mixed >> 30) * 0xBF58476D1CE4E5B9;
    mixed = (mixed ^ mixed >> 27) * 0x94D049BB133111EB;
    return mixed ^ mixed >> 31;
  }
  /// A number below `bound`, which is at most 2^32.
  std::uint64_t below(std::uint64_t bound) { return (bits() >> 32) * bound >> 32; }
  bool one_in(std::uint64_t count) { return below(count) == 0; }
  /// A number of at most `width` bits. Each number of bits is equally likely.
  std::uint64_t up_to_bits(unsigned width) {
    const std::uint64_t shift = 64 - below(width + 1);
    const std::uint64_t number = bits();
    return shift == 64 ? 0 : number >> shift;
  }
  /// A number near a power of two of at most `width` bits.
  std::uint64_t near_power(unsigned width) {
    const std::uint64_t power = std::uint64_t{1} << below(width);
    return power + below(5) - 2;  // may wrap round to the end of time, which is a good test, too
  }

 private:
  std::uint64_t state_;
};

}  // namespace timers::conformance
