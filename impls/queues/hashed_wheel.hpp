#pragma once

/// A ring of buckets, one a tick: a timer waits in the bucket of its deadline modulo the ring.
///
/// Scheme 6 of Varghese & Lauck (1987): hashing with unsorted lists. Netty's HashedWheelTimer is
/// its famous relative; where that one counts the remaining turns down at every visit, this one
/// compares deadlines, so that a visit writes nothing and a jump over many turns visits each bucket
/// once.
///
///     insert       O(1)
///     cancel       O(1)
///     re-arm       O(1)
///     expire       O(1) a tick with an empty bucket skipped for free, plus a look at each timer of
///     the
///                  buckets passed, also those of later turns: n / Buckets on average
///     next_expiry  O(1), early by whole turns
///
/// Choose it for very many timers whose delays are a few turns at most. Its weakness is a delay
/// that is long against the ring: such a timer is looked at once a turn. More buckets are its cure.

#include <algorithm>
#include <bit>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>

#include "impls/timer_buckets.hpp"
#include "impls/timer_queue.hpp"
#include "impls/timer_slab.hpp"

namespace timers {

template <class TaskType, std::size_t Buckets = 512>
requires(std::has_single_bit(Buckets) && Buckets <= std::size_t{1} << 30) class HashedWheel {
 public:
  using Task = TaskType;
  using Handle = TimerHandle;
  static inline const std::string name =
      Buckets == 512 ? "hashed_wheel" : "hashed_wheel_" + std::to_string(Buckets);

  /// `next_expiry` knows the bucket of a timer, not its turn.
  static constexpr Tick max_wakes(Tick delay) { return delay / Buckets + 1; }

  Handle insert(Tick deadline, Task task) {
    deadline = time_.deadline_for(deadline);
    return buckets_.insert(bucket_of(deadline), deadline, std::move(task));
  }

  bool cancel(Handle handle) {
    const Index index = buckets_.find(handle);
    if (index == Timers::kNone) return false;
    [[maybe_unused]] const Task dies_when_all_is_done = buckets_.remove(index);
    return true;
  }

  bool rearm(Handle handle, Tick deadline) {
    const Index index = buckets_.find(handle);
    if (index == Timers::kNone) return false;
    deadline = time_.deadline_for(deadline);
    buckets_.move(index, bucket_of(deadline), deadline);
    return true;
  }

  template <class OnExpiry>
  std::size_t expire(Tick now, OnExpiry&& on_expiry, std::size_t limit = kNoLimit) {
    if (!time_.move_to(now)) return 0;
    collect_due();
    return time_.run(limit, [&] {
      const Index first = buckets_.front(kDue);
      if (first == Timers::kNone) return false;
      const Tick deadline = buckets_.deadline(first);
      on_expiry(deadline, buckets_.remove(first));
      return true;
    });
  }

  std::optional<Tick> next_expiry() const {
    if (size() == 0) return std::nullopt;
    if (const Index first = buckets_.front(kDue); first != Timers::kNone) {
      return buckets_.deadline(first);
    }
    return time_.has_ended() ? kEndOfTime : time_.now() + 1 + distance_to_occupied(time_.now() + 1);
  }

  std::size_t size() const { return buckets_.size(); }

 private:
  using Timers = TimerBuckets<Task>;
  using Index = typename Timers::Index;
  using Bucket = typename Timers::Bucket;

  /// Holds what is due and has not run yet.
  static constexpr Bucket kDue = Buckets;

  static Bucket bucket_of(Tick tick) { return static_cast<Bucket>(tick % Buckets); }

  /// How many ticks after `tick` the ring reaches a bucket in use; Buckets or more if none is.
  Tick distance_to_occupied(Tick tick) const {
    const Bucket start = bucket_of(tick);
    const Bucket found = buckets_.first_occupied(start).value_or(kDue);
    if (found < kDue) return found - start;
    return buckets_.first_occupied().value_or(kDue) + Buckets - start;
  }

  /// Moves the hand to now, and what it passes over that is due to the end of kDue, in order.
  void collect_due() {
    const Tick passed = std::min<Tick>(time_.now() - hand_, Buckets);
    const bool several_turns = time_.now() - hand_ > Buckets;
    for (Tick offset = 1; offset <= passed; ++offset) {
      offset += distance_to_occupied(hand_ + offset);
      if (offset > passed) break;
      buckets_.for_each(bucket_of(hand_ + offset), [this](Index index) {
        if (buckets_.deadline(index) <= time_.now()) buckets_.move(index, kDue);
      });
    }
    // A bucket then held deadlines of several turns; in one turn the order of buckets is that of
    // time.
    if (several_turns) buckets_.sort(kDue);
    hand_ = time_.now();
  }

  VirtualTime time_;
  Tick hand_ = 0;  // all buckets up to this tick were visited
  Timers buckets_{Buckets + 1};
};

}  // namespace timers
