#pragma once

/// Quantiles of spans of time: the span that a given share of the spans does not exceed.

#include <algorithm>
#include <cstddef>
#include <stdexcept>
#include <utility>
#include <vector>

#include "impls/clocks/instant.hpp"

namespace timers::benches {

/// How long each of n things took.
class Quantiles {
 public:
  explicit Quantiles(std::vector<Duration> times) : sorted_(std::move(times)) {
    std::sort(sorted_.begin(), sorted_.end());
  }

  double quantile_ns(double share) const {
    const auto last = static_cast<double>(sorted_.size() - 1);
    return static_cast<double>(sorted_[static_cast<std::size_t>(share * last)].count());
  }

  /// Throws, with the text `otherwise`, if a span is negative.
  void prove(const char* otherwise) const {
    if (sorted_.front() < Duration::zero()) throw std::runtime_error(otherwise);
  }

 private:
  std::vector<Duration> sorted_;
};

}  // namespace timers::benches
