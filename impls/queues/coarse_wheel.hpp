#pragma once

/// Wheels within wheels that never cascade: the longer a delay, the coarser the ticks in which it
/// is counted.
///
/// Linux's timer wheel since 4.8 (Gleixner, 2016). It rests on an idea of Nichols, told by Varghese
/// & Lauck (1987): a timer of an hour may be a minute late. A level has 64 buckets. The ticks that
/// a bucket covers are its *grain*: 8 times as many as on the level below. A timer goes to the
/// finest level that reaches as far as its delay. Its deadline is rounded up to the grain of that
/// level, where the timer stays until it runs. Delays of up to 63 ticks are exact. A timer with a
/// longer delay is late by less than a grain, which is less than 12.7% of the delay.
///
/// Linux has 9 levels. It cuts off what is beyond them, and runs it early. Nothing may be early
/// here, so levels go on to the end of time. That makes 21. Those that hold nothing cost nothing.
///
///     insert       O(1)
///     cancel       O(1)
///     re-arm       O(1)
///     expire       O(1) a timer, also in the worst case; a look at 8/7 buckets a tick on average;
///                  empty time costs nothing, however long
///     next_expiry  O(1) for each level in use; exact: it names the tick of a bucket
///
/// Choose it for time limits that are rarely reached and need not be exact. Only the timers that
/// run make a call long. Do not choose it where timers must run on time or in order. It has another
/// weakness: timers that were due one by one run together.

#include <algorithm>
#include <bit>
#include <cstddef>
#include <optional>
#include <string>

#include "impls/queues/parts/wheel.hpp"
#include "impls/timer_queue.hpp"

namespace timers {

/// A level has 2^SlotBits buckets. Their grain is 2^GrainBits times the grain of the level below.
/// The grain of level 0 is a tick.
template <class TaskType, unsigned SlotBits = 6, unsigned GrainBits = 3>
class CoarseWheel : public Wheel<CoarseWheel<TaskType, SlotBits, GrainBits>, TaskType> {
  static_assert(1 <= GrainBits && GrainBits < SlotBits && SlotBits <= 16,
                "a level must reach further than the one below, and has up to 2^16 buckets");
  using Base = Wheel<CoarseWheel, TaskType>;
  friend Base;

 public:
  static inline const std::string name =
      SlotBits == 6 && GrainBits == 3
          ? "coarse_wheel"
          : "coarse_wheel_" + std::to_string(SlotBits) + "_" + std::to_string(GrainBits);
  static constexpr Growth growth = Growth::constant;

  /// Due timers run bucket by bucket. Of two timers of one deadline, the one that was set last may
  /// be on a finer level, and then runs first.
  static constexpr bool expires_in_order = false;
  static constexpr bool fifo = false;
  static constexpr Tick max_lateness(Tick delay) { return grain_of(level_of(delay)) - 1; }

  std::optional<Tick> next_expiry() const {
    if (this->size() == 0) return std::nullopt;
    if (const Index first = buckets_.front(kDue); first != Timers::kNone) {
      return buckets_.deadline(first);
    }
    return time_.has_ended() ? kEndOfTime : tick_of_next_bucket();
  }

 private:
  using Base::buckets_;
  using Base::time_;
  using typename Base::Bucket;
  using typename Base::Index;
  using typename Base::Timers;

  static constexpr Bucket kSlots = Bucket{1} << SlotBits;

  /// The finest level on which a delay is at most kSlots - 1 grains. With one grain more, the
  /// bucket might be the very next one, and the timer a turn early.
  static constexpr unsigned level_of(Tick delay) {
    const Tick least = delay - 1;
    const auto width = static_cast<unsigned>(std::bit_width(least));
    const unsigned level = width <= SlotBits ? 0 : (width - SlotBits - 1) / GrainBits + 1;
    return level + (least >> (level * GrainBits) == kSlots - 1 ? 1 : 0);
  }

  static constexpr Tick grain_of(unsigned level) { return Tick{1} << (level * GrainBits); }

  static constexpr unsigned kLevels = level_of(kEndOfTime) + 1;
  static constexpr Bucket kDue = kLevels * kSlots;

  /// How many whole grains of a level `tick` has.
  static constexpr Tick rounded_down(Tick tick, unsigned level) {
    return tick >> (level * GrainBits);
  }

  /// Also notes the deadline, if it is the first one.
  Bucket bucket_for(Tick deadline) {
    first_ = std::min(first_, deadline);
    const unsigned level = level_of(deadline - time_.now());
    const Tick rounded_up = rounded_down(deadline - 1, level) + 1;
    return level * kSlots + static_cast<Bucket>(rounded_up % kSlots);
  }

  /// Moves the hand to now, and the buckets that it passes to kDue.
  void collect_due() {
    const Tick now = time_.now();
    if (now >= first_) {
      if (now - hand_ == 1 && !time_.has_ended()) {
        collect_tick();
      } else if (now != hand_) {
        collect_passed();
      }
    }
    hand_ = now;
  }

  /// Collects one bucket of level 0, and one of each higher level whose grain divides now.
  void collect_tick() {
    Tick slot = time_.now();
    for (Bucket level = 0; level < kDue; level += kSlots) {
      buckets_.splice(level + static_cast<Bucket>(slot % kSlots), kDue);
      if (slot % grain_of(1) != 0) break;
      slot /= grain_of(1);
    }
  }

  [[gnu::noinline]] void collect_passed() {
    if (time_.has_ended()) return collect_all();
    for (unsigned level = 0; level < kLevels; ++level) {
      const Tick from = rounded_down(hand_, level);
      const Tick passed = rounded_down(time_.now(), level) - from;
      if (passed == 0) break;
      collect_slots(level * kSlots, from + 1, std::min<Tick>(passed, kSlots));
    }
    first_ = tick_of_next_bucket();
  }

  /// Collects `count` slots of a level, from slot `from` on.
  void collect_slots(Bucket level, Tick from, Tick count) {
    for (Tick offset = 0; offset < count; ++offset) {
      offset += buckets_.distance_to_occupied(level, kSlots, from + offset);
      if (offset >= count) break;
      buckets_.splice(level + static_cast<Bucket>((from + offset) % kSlots), kDue);
    }
  }

  /// Called at the end of time: collects even timers that were rounded up beyond it.
  void collect_all() {
    for (Bucket bucket = 0; (bucket = first_in_use(bucket)) != kDue;) {
      buckets_.splice(bucket, kDue);
    }
  }

  Tick tick_of_next_bucket() const {
    Tick next = kEndOfTime;
    for (Bucket found = 0; (found = first_in_use(found)) != kDue;) {
      const unsigned level = found / kSlots;
      const Tick from = rounded_down(time_.now(), level) + 1;
      const Tick slot = from + buckets_.distance_to_occupied(level * kSlots, kSlots, from);
      if (slot <= rounded_down(kEndOfTime, level)) next = std::min(next, slot * grain_of(level));
      found = (level + 1) * kSlots;
    }
    return next;
  }

  /// The first bucket from this one on in which timers wait, or kDue.
  Bucket first_in_use(Bucket bucket) const {
    return buckets_.first_occupied(bucket).value_or(kDue);
  }

  Tick hand_ = 0;            // all buckets up to this tick were collected
  Tick first_ = kEndOfTime;  // no bucket in use is before this tick
};

}  // namespace timers
