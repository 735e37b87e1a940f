#pragma once

/// A ring of buckets, one for each tick: a timer waits in bucket `deadline mod Buckets`.
///
/// Scheme 6 of Varghese & Lauck (1987): hashing with unsorted lists. Netty's HashedWheelTimer is
/// its famous relative. Two things differ. Netty counts the remaining turns down at every visit.
/// This queue compares deadlines, so that a visit writes nothing and a jump over many turns visits
/// each bucket once. And each bucket has a *bound*: a tick before which none of its timers is due.
/// While the bound lies ahead, the hand passes the bucket without a visit.
///
///     insert       O(1)
///     cancel       O(1)
///     re-arm       O(1)
///     expire       O(1) a timer, and a look at each timer in the visited buckets, even of later
///                  turns: n / Buckets on average. A bucket is visited when one of its timers is
///                  due, and once more if its earliest timer was cancelled or re-armed.
///                  After a jump over several turns the k timers due are sorted: O(k log k)
///     next_expiry  O(min(n, Buckets)): a look at the bound of each bucket in use that the hand
///                  reaches before the answer. Exact, until a timer is cancelled or re-armed: then
///                  the bound of its bucket may be too early
///
/// Choose it for very many timers whose delays are a few turns at most. Its weakness is delays that
/// are long compared with the ring. With very many timers, each run costs a look at n / Buckets
/// others; more buckets help. With few timers, the next one may be in any bucket, and next_expiry
/// looks at all buckets in use.

#include <algorithm>
#include <bit>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "impls/queues/parts/wheel.hpp"
#include "impls/timer_queue.hpp"

namespace timers {

template <class TaskType, std::size_t Buckets = 512>
class HashedWheel : public Wheel<HashedWheel<TaskType, Buckets>, TaskType> {
  static_assert(std::has_single_bit(Buckets) && Buckets <= std::size_t{1} << 30,
                "the number of buckets is a power of two up to 2^30");
  using Base = Wheel<HashedWheel, TaskType>;
  friend Base;

 public:
  static inline const std::string name =
      Buckets == 512 ? "hashed_wheel" : "hashed_wheel_" + std::to_string(Buckets);
  static constexpr Growth growth = Growth::constant;

  /// One for the timer, and one for a bound that is too early. Within one turn all timers of a
  /// bucket have the same deadline, so no bound is too early.
  static constexpr Tick max_wakes(Tick delay) { return delay <= Buckets ? 1 : 2; }

  std::optional<Tick> next_expiry() const {
    if (this->size() == 0) return std::nullopt;
    if (const Index first = buckets_.front(kDue); first != Timers::kNone) {
      return buckets_.deadline(first);
    }
    return time_.has_ended() ? kEndOfTime : least_bound();
  }

 private:
  using Base::buckets_;
  using Base::moves_;
  using Base::time_;
  using typename Base::Bucket;
  using typename Base::Index;
  using typename Base::Timers;

  static constexpr Bucket kDue = Buckets;

  static Bucket bucket_at(Tick tick) { return static_cast<Bucket>(tick % Buckets); }

  /// Also lowers the bound of the bucket.
  Bucket bucket_for(Tick deadline) {
    const Bucket bucket = bucket_at(deadline);
    bounds_[bucket] = std::min(bounds_[bucket], deadline);
    return bucket;
  }

  /// How many ticks after `tick` the ring reaches a bucket in use; Buckets or more if none is.
  Tick distance_to_occupied(Tick tick) const {
    return buckets_.distance_to_occupied(0, Buckets, tick);
  }

  /// The least bound of the buckets in use. The hand may have passed a bound while its bucket was
  /// empty, because its timers were cancelled or re-armed. Such a bound counts as the tick at which
  /// the hand comes to the bucket next.
  Tick least_bound() const {
    const Tick next = time_.now() + 1;
    Tick least = kEndOfTime - next;  // counted from `next`, like `reached`
    for (Tick reached = 0; reached < std::min<Tick>(least, Buckets); ++reached) {
      reached += distance_to_occupied(next + reached);
      if (reached >= Buckets) break;
      const Tick bound = bounds_[bucket_at(next + reached)];
      least = std::min(least, std::max(bound, next + reached) - next);
    }
    return next + least;
  }

  /// Moves the hand to now. Moves the due timers that it passes to kDue, in order.
  void collect_due() {
    const Tick passed = time_.now() - hand_;
    if (passed > 1) {
      collect_passed(passed);
    } else if (passed == 1) {
      collect_from(bucket_at(time_.now()));
    }
    hand_ = time_.now();
  }

  [[gnu::noinline]] void collect_passed(Tick passed) {
    const Tick looked_at = std::min<Tick>(passed, Buckets);
    for (Tick offset = 1; offset <= looked_at; ++offset) {
      offset += distance_to_occupied(hand_ + offset);
      if (offset > looked_at) break;
      collect_from(bucket_at(hand_ + offset));
    }
    // Then a bucket held due timers of several turns. In one turn buckets are in order of time.
    if (passed > Buckets) buckets_.sort(kDue);
  }

  void collect_from(Bucket bucket) {
    if (bounds_[bucket] <= time_.now()) visit(bucket);
  }

  /// Moves what is due in a bucket to kDue, and computes the bound of the rest.
  [[gnu::noinline]] void visit(Bucket bucket) {
    Tick bound = kEndOfTime;
    moves_ += buckets_.move_if(bucket, kDue, [&bound, now = time_.now()](Tick deadline) {
      if (deadline <= now) return true;
      bound = std::min(bound, deadline);
      return false;
    });
    bounds_[bucket] = bound;
  }

  // No timer of a bucket is due before its bound. The bound of an empty bucket means nothing.
  std::vector<Tick> bounds_ = std::vector<Tick>(Buckets, kEndOfTime);
  Tick hand_ = 0;  // all buckets up to this tick were visited
};

}  // namespace timers
