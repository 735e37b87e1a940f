#pragma once

/// The counter of time in the processor, which is read in some nanoseconds.
///
/// It counts at a fixed rate, whatever the frequency of the core. A read waits until all earlier
/// instructions are done, and later ones wait for the read. So only the call between two reads is
/// timed.

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <utility>
#include <vector>
#if defined(__x86_64__)
#include <x86intrin.h>
#endif

#include "benches/harness/median.hpp"

namespace timers::benches {

class TimeStampCounter {
 public:
  using Ticks = std::uint64_t;

  static Ticks now() {
#if defined(__x86_64__)
    _mm_lfence();
    const Ticks ticks = __rdtsc();
    _mm_lfence();
    return ticks;
#elif defined(__aarch64__)
    Ticks ticks = 0;
    asm volatile("isb; mrs %0, cntvct_el0; isb" : "=r"(ticks) : : "memory");
    return ticks;
#else
    return static_cast<Ticks>(std::chrono::steady_clock::now().time_since_epoch().count());
#endif
  }

  /// The difference of two reads with nothing between them: the median of many.
  static Ticks own_cost() {
    static const Ticks cost = [] {
      std::vector<Ticks> costs(1001);
      for (Ticks& one : costs) {
        const Ticks begin = now();
        one = now() - begin;
      }
      return lower_median_of(std::move(costs));
    }();
    return cost;
  }

  /// The ticks since `begin`, a read, without the cost of reading.
  static Ticks since(Ticks begin) {
    const Ticks between_reads = now() - begin;
    return between_reads - std::min(between_reads, own_cost());
  }

  /// The length of a tick in nanoseconds; measured once, for 10 ms.
  static double nanoseconds() {
    static const double length = [] {
      using Clock = std::chrono::steady_clock;
      constexpr std::chrono::milliseconds kSpan{10};
      const Clock::time_point begin = Clock::now();
      const Ticks first = now();
      while (Clock::now() - begin < kSpan) {
      }
      const Ticks last = now();
      const std::chrono::nanoseconds span = Clock::now() - begin;
      return static_cast<double>(span.count()) / static_cast<double>(last - first);
    }();
    return length;
  }
};

}  // namespace timers::benches
