#pragma once

/// The levels of wheels within wheels (Varghese & Lauck 1987, Scheme 7): which bucket a tick is in.
///
/// Level 0 turns by ticks, level 1 by turns of level 0, and so on up to all of Tick. Ticks are
/// written in base 2^Bits. The highest digit in which a tick and the cursor differ gives its level,
/// and the value of this digit gives its bucket. Buckets are counted from the lowest level up. As
/// nothing waits behind the cursor, this is their order in time: the first bucket in use is next.
///
/// Both hierarchical_wheel.hpp and lazy_wheel.hpp stand on it. All functions are O(1).

#include <bit>
#include <cstdint>

#include "impls/timer_queue.hpp"

namespace timers {

/// Levels of 2^Bits buckets each. `cursor` is the tick from which all ticks are placed. No tick
/// that waits is before it.
template <unsigned Bits>
struct WheelLevels {
  static_assert(Bits >= 1 && Bits <= 16, "a level has from 1 to 16 bits");

  using Bucket = std::uint32_t;

  static constexpr Bucket kSlots = Bucket{1} << Bits;  // of one level
  static constexpr Bucket kBuckets = (64 + Bits - 1) / Bits * kSlots;

  /// The level of the highest digit that is not 0.
  static constexpr unsigned level_of(Tick difference) {
    return static_cast<unsigned>(std::bit_width(difference | 1) - 1) / Bits;
  }

  static constexpr Bucket bucket_for(Tick tick, Tick cursor) {
    const unsigned level = level_of(tick ^ cursor);
    return level * kSlots + static_cast<Bucket>(tick >> (level * Bits)) % kSlots;
  }

  /// The first tick of a bucket's span.
  static constexpr Tick start_of(Bucket bucket, Tick cursor) {
    const unsigned shift = bucket / kSlots * Bits;
    const Tick turn = (cursor >> shift) & ~Tick{kSlots - 1};
    return (turn | bucket % kSlots) << shift;
  }
};

}  // namespace timers
