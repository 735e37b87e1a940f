#pragma once

/// Medians of values in any order. There must be at least one value. They take linear time.

#include <algorithm>
#include <cstddef>
#include <vector>

namespace timers::benches {

/// If the number of values is even: the lower of the two in the middle.
template <class Value>
Value lower_median_of(std::vector<Value> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>((values.size() - 1) / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

/// If the number of values is even: the mean of the two in the middle.
inline double median_of(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return *middle;
  return (*std::max_element(values.begin(), middle) + *middle) / 2;
}

}  // namespace timers::benches
