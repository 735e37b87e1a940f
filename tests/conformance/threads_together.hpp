#pragma once

/// Threads that begin together, and pause for moments of any length.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <thread>
#include <vector>

#include "impls/clocks/instant.hpp"
#include "tests/conformance/random.hpp"

namespace timers::conformance {

/// Waits until `is_so()`. The thread does not sleep: it would wake later than the others, and might
/// find that all is over.
template <class Condition>
void spin_until(Condition is_so) {
  constexpr int kMostSpins = 1000;
  for (int spins = 1; !is_so(); ++spins) {
    if (spins % kMostSpins == 0) std::this_thread::yield();
  }
}

/// Runs each deed on a thread of its own, all at the same time: the threads wait until all have
/// started.
inline void together(const std::vector<std::function<void()>>& deeds) {
  std::atomic<std::size_t> missing = deeds.size();
  std::vector<std::jthread> threads;
  for (const auto& deed : deeds) {
    threads.emplace_back([&missing, &deed] {
      --missing;
      spin_until([&missing] { return missing == 0; });
      deed();
    });
  }
}

/// Spends a moment without sleeping: 0 to 2^`width` steps, and each order of magnitude is equally
/// likely. 2^16 steps take some ten microseconds.
inline void dawdle(Random& random, unsigned width = 16) {
  const std::uint64_t steps = random.up_to_bits(width);
  for (std::uint64_t step = 0; step < steps; ++step) {
    std::atomic_signal_fence(std::memory_order_seq_cst);  // keeps the loop
  }
}

/// A span from zero to just below `longest`.
inline Duration any_span(Random& random, Duration longest) {
  return Duration(random.bits() % static_cast<std::uint64_t>(longest.count()));
}

}  // namespace timers::conformance
