#pragma once

/// Quantiles of values in any order, of which there is at least one.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

namespace timers::benches {

/// Of an even number of values, the lower of the two in the middle.
template <class Value>
Value lower_median_of(std::vector<Value> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>((values.size() - 1) / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

/// Of an even number of values, the mean of the two in the middle.
inline double median_of(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return *middle;
  return (*std::max_element(values.begin(), middle) + *middle) / 2;
}

/// A quarter of the values lies below it. Between two values it is interpolated, so that it means
/// the same for few values and for many: of n it is the one of rank (n + 1) / 4, and at least the
/// first.
inline double lower_quartile_of(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const double rank = std::max(static_cast<double>(values.size() + 1) / 4, 1.0);
  const auto below = static_cast<std::size_t>(rank);
  if (below >= values.size()) return values.back();
  return std::lerp(values[below - 1], values[below], rank - static_cast<double>(below));
}

}  // namespace timers::benches
