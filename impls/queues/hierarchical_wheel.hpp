#pragma once

/// Wheels within wheels: a timer waits on the wheel of the coarsest unit in which its deadline and
/// now differ.
///
/// Scheme 7 of Varghese & Lauck (1987): level 0 turns by ticks, level 1 by turns of level 0, and so
/// on (wheel_levels.hpp). When time enters a bucket of a higher level, its timers move down: a
/// cascade. Famous relatives are Linux's timer wheel before 4.8, Kafka's timer and Tokio's. As in
/// Tokio's, the level is that of the highest digit in which deadline and time differ. So a bucket
/// behind the hand is always empty, and equal deadlines are always in one bucket, which keeps them
/// in order through all cascades.
///
///     insert       O(1)
///     cancel       O(1)
///     re-arm       O(1)
///     expire       O(1) a timer, plus O(1) for each of its cascades, at most one per level.
///                  Empty time costs nothing, however long
///     next_expiry  O(1), early by at most one wake per level
///
/// Choose it for time limits of many lengths, if nearly all are cancelled, and up to some ten
/// thousand wait. Choose it also if equal deadlines must run in order. Its weakness is the cascade:
/// it touches a timer that waits long several times, and a full bucket of a high level makes one
/// call long.

#include <cstddef>
#include <optional>
#include <string>

#include "impls/queues/parts/wheel.hpp"
#include "impls/queues/parts/wheel_levels.hpp"
#include "impls/timer_queue.hpp"

namespace timers {

/// `Bits` is the size of a level: it has 2^Bits buckets.
template <class TaskType, unsigned Bits = 8>
class HierarchicalWheel : public Wheel<HierarchicalWheel<TaskType, Bits>, TaskType> {
  using Base = Wheel<HierarchicalWheel, TaskType>;
  using Levels = WheelLevels<Bits>;
  friend Base;

 public:
  static inline const std::string name =
      Bits == 8 ? "hierarchical_wheel" : "hierarchical_wheel_" + std::to_string(Bits) + "bit";
  static constexpr Growth growth = Growth::constant;

  /// `next_expiry` knows only the bucket of a timer. Only a bucket of level 0 is an exact tick.
  static constexpr Tick max_wakes(Tick delay) { return Levels::level_of(delay) + 2; }

  std::optional<Tick> next_expiry() const {
    if (const Index first = buckets_.front(kDue); first != Timers::kNone) {
      return buckets_.deadline(first);
    }
    const auto bucket = buckets_.first_occupied();
    return bucket ? std::optional(start_of(*bucket)) : std::nullopt;
  }

 private:
  using Base::buckets_;
  using Base::moves_;
  using Base::time_;
  using typename Base::Bucket;
  using typename Base::Index;
  using typename Base::Timers;

  static constexpr Bucket kDue = Levels::kBuckets;

  Bucket bucket_for(Tick deadline) const { return Levels::bucket_for(deadline, cursor_); }
  Tick start_of(Bucket bucket) const { return Levels::start_of(bucket, cursor_); }

  /// Moves the cursor to now, and what is due to kDue, in order.
  void collect_due() {
    const Bucket digit = static_cast<Bucket>(time_.now() % Levels::kSlots);
    if (time_.now() - cursor_ == 1 && digit != 0) [[likely]] {
      // Only level 0 turns. So the bucket of now's last digit holds timers of this turn only.
      buckets_.splice(digit, kDue);
    } else {
      collect_passed();
    }
    cursor_ = time_.now();
  }

  /// Moves the cursor from one bucket in use to the next, as long as they are not after now.
  [[gnu::noinline]] void collect_passed() {
    while (cursor_ < time_.now()) {
      const auto bucket = buckets_.first_occupied();
      if (!bucket || *bucket == kDue || start_of(*bucket) > time_.now()) break;
      cursor_ = start_of(*bucket);
      if (*bucket < Levels::kSlots) {
        buckets_.splice(*bucket, kDue);
      } else {
        buckets_.distribute(*bucket, [this](Tick deadline) {
          ++moves_;
          return deadline == cursor_ ? kDue : bucket_for(deadline);
        });
      }
    }
  }

  Tick cursor_ = 0;  // where timers are placed from: now, except while buckets are collected
};

}  // namespace timers
