#pragma once

/// A bucket for each bit: a timer waits in the bucket of the highest bit in which its deadline and
/// the hand differ.
///
/// A radix heap (Ahuja, Mehlhorn, Orlin & Tarjan, 1990): a priority queue for keys that are never
/// before the last one taken out. They made it for shortest paths; deadlines are such keys, too.
/// Seastar keeps its timers in this way (timer-set.hh), and so do ScyllaDB and Redpanda. The *hand*
/// stands still as long as timers wait and none can be due. When one may be due, the hand goes to
/// now. The highest bit that this changes in the hand names the bucket that *turns*. All timers in
/// lower buckets are due. Timers of the turning bucket that are not due go to the lower buckets,
/// which are empty by then. Equal deadlines are always in one bucket, which keeps their order.
///
///     insert       O(1)
///     cancel       O(1)
///     re-arm       O(1)
///     expire       O(1) a timer, plus O(1) for each of its moves, at most one a bit of its delay;
///                  empty time costs nothing. After a jump the k timers that are due are sorted:
///                  O(k log k)
///     next_expiry  O(1). Exact, until a timer is cancelled or re-armed: then it may name the
///                  former deadline of that timer
///
/// Choose it for its simplicity: it has no levels and no parameter, and takes 1.3 kB. Wheels within
/// wheels work in the same way with more buckets per level. Their weakness is eight times as strong
/// here: a timer that waits long moves for half of the bits of its delay on average, and each move
/// waits for memory where timers are many. The turn of a full bucket makes one call long.

#include <array>
#include <bit>
#include <cstddef>
#include <optional>

#include "impls/queues/parts/wheel.hpp"
#include "impls/timer_queue.hpp"

namespace timers {

template <class TaskType>
class RadixSet : public Wheel<RadixSet<TaskType>, TaskType> {
  using Base = Wheel<RadixSet, TaskType>;
  friend Base;

 public:
  static constexpr const char* name = "radix_set";
  static constexpr Growth growth = Growth::constant;

  /// One wake for the timer, and one for a deadline that the timer had before.
  static constexpr Tick max_wakes(Tick) { return 2; }

  std::optional<Tick> next_expiry() const {
    if (const Index first = buckets_.front(kDue); first != Timers::kNone) {
      return buckets_.deadline(first);
    }
    const auto bucket = buckets_.first_occupied();
    return bucket ? std::optional(least_[*bucket]) : std::nullopt;
  }

 private:
  using Base::buckets_;
  using Base::moves_;
  using Base::time_;
  using typename Base::Bucket;
  using typename Base::Index;
  using typename Base::Timers;

  static constexpr Bucket kBits = 64;
  static constexpr Bucket kArrived = kBits;  // for what is due, while it is collected
  static constexpr Bucket kDue = kArrived + 1;

  static Bucket highest_bit(Tick difference) {
    return static_cast<Bucket>(std::bit_width(difference | 1) - 1);
  }

  /// Also notes the least deadline of the bucket.
  Bucket bucket_for(Tick deadline) {
    const Bucket bucket = highest_bit(deadline ^ hand_);
    const bool is_first = buckets_.front(bucket) == Timers::kNone;
    if (is_first || deadline < least_[bucket]) least_[bucket] = deadline;
    return bucket;
  }

  /// Moves what is due to kDue, in order. The hand stands still while nothing is.
  void collect_due() {
    const auto first = buckets_.first_occupied();
    if (!first || *first == kDue) {  // Nothing waits.
      hand_ = time_.now();
    } else if (least_[*first] <= time_.now() && hand_ != time_.now()) {
      collect_from(*first);
    }
  }

  /// Moves the hand to now. `first` is the first bucket in use.
  [[gnu::noinline]] void collect_from(Bucket first) {
    const Tick now = time_.now();
    const Bucket turns = highest_bit(now ^ hand_);
    const bool is_all_due_now = least_[first] == now;
    hand_ = now;
    for (Bucket below = first; below < turns; below = *buckets_.first_occupied(below)) {
      buckets_.splice(below, kArrived);
    }
    buckets_.distribute(turns, [this, now](Tick deadline) {
      if (deadline <= now) return kArrived;
      ++moves_;
      return bucket_for(deadline);
    });
    if (!is_all_due_now) buckets_.sort(kArrived);
    buckets_.splice(kArrived, kDue);
  }

  Tick hand_ = 0;                       // where timers are placed from; at most now
  std::array<Tick, kBits> least_ = {};  // for each bucket in use: its first deadline, or earlier
};

}  // namespace timers
