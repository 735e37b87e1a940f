#pragma once

/// The ticks at which wheels of 4 to 4096 buckets a level have their edges.

#include <algorithm>
#include <initializer_list>
#include <vector>

#include "impls/timer_queue.hpp"

namespace timers::conformance {

/// How many buckets the levels of common wheels have.
inline constexpr std::initializer_list<Tick> kWheelSizes = {4, 8, 20, 64, 256, 512, 4096};

inline std::vector<Tick> sorted_once(std::vector<Tick> ticks) {
  std::sort(ticks.begin(), ticks.end());
  ticks.erase(std::unique(ticks.begin(), ticks.end()), ticks.end());
  return ticks;
}

/// All powers of the wheel sizes up to `last`, and the ticks next to them.
inline std::vector<Tick> wheel_edges(Tick last) {
  std::vector<Tick> edges;
  for (const Tick size : kWheelSizes) {
    for (Tick power = size; power <= last; power *= size) {
      edges.insert(edges.end(), {power - 1, power, power + 1});
      if (power > kEndOfTime / size) break;
    }
  }
  return sorted_once(std::move(edges));
}

/// Times at which a test begins: next to the edges, and after long uptimes.
inline std::vector<Tick> wheel_starts() {
  std::vector<Tick> starts = {0, 1, 5};
  for (const Tick size : kWheelSizes)
    starts.insert(starts.end(), {size - 1, size, size + 1, size * size - 1});
  for (const int bit : {31, 32, 36, 40, 53}) starts.push_back(Tick{1} << bit);
  return sorted_once(std::move(starts));
}

}  // namespace timers::conformance
