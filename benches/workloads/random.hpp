#pragma once

/// Random numbers that are the same everywhere.
///
/// The distributions of the standard library differ from one library to the next, and its log and
/// exp from one processor to the next. Ours are made of + - * / and the square root, which IEEE 754
/// defines to the last bit (the compiler must not fuse operations: -ffp-contract=off).

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

namespace timers::benches {

/// SplitMix64 (Steele, Lea & Flood 2014).
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next();

  /// Uniform in (0, 1).
  double uniform();

  /// Exponential: the gaps of a Poisson process.
  double exponential(double mean);

  /// Normal, with mean 0 and variance 1.
  double normal();

  /// Log-normal: the logarithm is normal, with standard deviation `sigma`.
  double log_normal(double median, double sigma);

  /// Log-uniform in (least, most): the logarithm is uniform.
  double log_uniform(double least, double most);

 private:
  std::uint64_t state_;
};

/// Brings a list into random order (Fisher & Yates).
template <class Value>
void shuffle(std::vector<Value>& values, Random& random) {
  for (std::size_t left = values.size(); left > 1; --left) {
    std::swap(values[left - 1], values[random.next() % left]);
  }
}

/// The numbers 0, 1, 2 …, in random order.
inline std::vector<std::uint32_t> random_order(std::size_t count, Random& random) {
  std::vector<std::uint32_t> numbers(count);
  std::iota(numbers.begin(), numbers.end(), 0);
  shuffle(numbers, random);
  return numbers;
}

}  // namespace timers::benches
