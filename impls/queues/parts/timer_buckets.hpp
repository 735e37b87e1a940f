#pragma once

/// Lists of timers: what wheels are made of.
///
/// Each bucket is a doubly linked list in the order of insertion. The links are numbers of cells,
/// and stand in the cells of the slab. The list closes in a ring over a sentinel of the bucket's
/// own, so that linking and unlinking need no branches. A bit per bucket tells which buckets hold
/// timers (occupancy_bits.hpp).
///
///     insert, move, remove, splice            O(1)
///     first_occupied, distance_to_occupied    O(1) up to 4096 buckets, then a word for every 4096
///     move_if, distribute                     O(k) for the k timers of a bucket
///     sort                                    O(k log k), no allocation
///     sort_in                                 O(1) for each timer that is passed
///     grow                                    O(n) for n buckets, an allocation

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "impls/queues/parts/occupancy_bits.hpp"
#include "impls/queues/parts/timer_slab.hpp"
#include "impls/timer_queue.hpp"

namespace timers {

template <class Task>
class TimerBuckets {
  struct Links {
    std::uint32_t next;
    std::uint32_t prev;
  };
  struct Linked {
    Tick deadline;
    Links links;
  };

 public:
  using Timers = TimerSlab<Task, Linked>;
  using Index = typename Timers::Index;
  using Bucket = std::uint32_t;

  /// No timer has this number.
  static constexpr Index kNone = Timers::kNone;

  explicit TimerBuckets(Bucket count) : occupied_(count) {
    sentinels_.reserve(count);
    for (Bucket bucket = 0; bucket < count; ++bucket) {
      sentinels_.push_back({sentinel(bucket), sentinel(bucket)});
    }
  }

  /// Makes more buckets, and keeps the timers of the old ones. If it throws std::bad_alloc, nothing
  /// has changed.
  void grow(Bucket count) {
    sentinels_.reserve(count);
    occupied_.grow(count);
    for (Bucket bucket = static_cast<Bucket>(sentinels_.size()); bucket < count; ++bucket) {
      sentinels_.push_back({sentinel(bucket), sentinel(bucket)});
    }
  }

  /// As TimerSlab::reserve_one.
  void reserve_one() { timers_.reserve_one(); }

  /// Stores a timer at the end of a bucket. Only after `reserve_one`.
  TimerHandle insert(Bucket bucket, Tick deadline, Task&& task) {
    const Index index = timers_.acquire(std::move(task), {deadline, {}});
    append(bucket, index);
    return timers_.handle(index);
  }

  /// Ends a timer and returns its task.
  Task remove(Index index) {
    unlink(index);
    return timers_.release(index);
  }

  /// Takes a timer out of its bucket.
  void unlink(Index index) {
    const auto [next, prev] = timers_.queue_data(index).links;
    links(next).prev = prev;
    links(prev).next = next;
    if (next == prev && is_sentinel(next)) occupied_.clear(next - kFirstSentinel);
  }

  /// Puts a timer that stays at the end of a bucket. Returns whether it was in one.
  bool arm(Index index, Bucket bucket, Tick deadline) {
    const bool was_pending = timers_.is_pending(index);
    if (was_pending) {
      unlink(index);
    } else {
      timers_.arm(index);
    }
    append(bucket, index);
    timers_.queue_data(index).deadline = deadline;
    return was_pending;
  }

  /// Moves a timer to the end of a bucket.
  void move(Index index, Bucket bucket) {
    unlink(index);
    append(bucket, index);
  }

  /// Moves a timer to the end of a bucket, with a new deadline.
  void move(Index index, Bucket bucket, Tick deadline) {
    move(index, bucket);
    timers_.queue_data(index).deadline = deadline;
  }

  /// Moves the timers of a bucket for which `moves(deadline)` to the end of another, in their
  /// order. Neighbours move together. Returns how many timers stay.
  template <class Moves>
  std::size_t move_if(Bucket from, Bucket to, Moves moves) {
    std::size_t stay = 0;
    Index last_to_stay = sentinel(from);
    for (Index index = sentinels_[from].next; !is_sentinel(index);) {
      const Linked* timer = &timers_.queue_data(index);
      if (!moves(timer->deadline)) {
        ++stay;
        last_to_stay = index;
        index = timer->links.next;
        continue;
      }
      const Index first = index;
      Index last = index;
      while (!is_sentinel(index = timer->links.next)) {
        timer = &timers_.queue_data(index);
        if (!moves(timer->deadline)) break;
        last = index;
      }
      join(last_to_stay, index);
      append(to, first, last);
      occupied_.set(to);
    }
    if (stay == 0) occupied_.clear(from);
    return stay;
  }

  /// Empties a bucket into others: each timer goes to the end of the bucket `bucket_for(deadline)`.
  template <class BucketFor>
  void distribute(Bucket bucket, BucketFor bucket_for) {
    Index index = sentinels_[bucket].next;
    reset(bucket);
    while (!is_sentinel(index)) {
      const Linked& timer = timers_.queue_data(index);
      const Index next = timer.links.next;
      append(bucket_for(timer.deadline), index);
      index = next;
    }
  }

  /// Moves all timers of a bucket to the end of another, in their order.
  void splice(Bucket from, Bucket to) {
    const auto [first, last] = sentinels_[from];
    if (is_sentinel(first)) return;
    append(to, first, last);
    occupied_.set(to);
    reset(from);
  }

  /// Puts a bucket in ascending order of deadlines. Equal ones keep their order.
  void sort(Bucket bucket) {
    Index rest = sentinels_[bucket].next;
    if (is_sentinel(rest)) return;
    links(sentinels_[bucket].prev).next = kNone;
    rest = merge_sort(rest);
    Index last = sentinel(bucket);
    for (; rest != kNone; rest = links(rest).next) {
      links(last).next = rest;
      links(rest).prev = last;
      last = rest;
    }
    links(last).next = sentinel(bucket);
    sentinels_[bucket].prev = last;
  }

  /// Moves the last timer of a bucket forward to its place, behind the timers that are not later.
  /// The others must be in ascending order of deadlines. Returns how many timers it passes.
  std::size_t sort_in(Index index) {
    const Tick its = deadline(index);
    const auto [end, last] = links(index);
    std::size_t passed = 0;
    Index earlier = last;
    for (; !is_sentinel(earlier) && deadline(earlier) > its; earlier = links(earlier).prev) {
      ++passed;
    }
    if (passed == 0) return 0;
    join(last, end);
    join(index, links(earlier).next);
    join(earlier, index);
    return passed;
  }

  /// Whether a bucket holds more than `count` timers. Looks at no more timers than needed.
  bool is_longer_than(Bucket bucket, std::size_t count) const {
    Index index = sentinels_[bucket].next;
    for (; !is_sentinel(index); index = timers_.queue_data(index).links.next) {
      if (count-- == 0) return true;
    }
    return false;
  }

  /// The timer behind another one in its bucket, or kNone.
  Index next(Index index) const {
    const Index next = timers_.queue_data(index).links.next;
    return is_sentinel(next) ? kNone : next;
  }

  /// The first timer of a bucket, or kNone.
  Index front(Bucket bucket) const {
    const Index first = sentinels_[bucket].next;
    return is_sentinel(first) ? kNone : first;
  }

  /// The first bucket from `bucket` on that holds timers.
  std::optional<Bucket> first_occupied(Bucket bucket = 0) const {
    const auto found = occupied_.first_from(bucket);
    return found ? std::optional(static_cast<Bucket>(*found)) : std::nullopt;
  }

  /// For a ring of `slots` buckets that begins with bucket `ring`: how many places after `slot` the
  /// first bucket in use is; `slots` or more if none is in use. `slot` counts through all turns.
  Tick distance_to_occupied(Bucket ring, Bucket slots, Tick slot) const {
    const Bucket start = ring + static_cast<Bucket>(slot % slots);
    const Bucket end = ring + slots;
    const Bucket found = first_occupied(start).value_or(end);
    if (found < end) return found - start;
    return first_occupied(ring).value_or(end) + slots - start;
  }

  /// As TimerSlab::if_alive.
  template <class Act>
  bool if_alive(TimerHandle handle, Act act) {
    return timers_.if_alive(handle, act);
  }

  Timers& slab() { return timers_; }

  Tick deadline(Index index) const { return timers_.queue_data(index).deadline; }
  std::size_t size() const { return timers_.size(); }

 private:
  // The numbers above those of all cells stand for the sentinels.
  static constexpr Index kFirstSentinel = Timers::kMaxCells;
  static Index sentinel(Bucket bucket) { return kFirstSentinel + bucket; }
  static bool is_sentinel(Index index) { return index >= kFirstSentinel; }

  Links& links(Index index) {
    return is_sentinel(index) ? sentinels_[index - kFirstSentinel]
                              : timers_.queue_data(index).links;
  }

  void join(Index earlier, Index later) {
    links(earlier).next = later;
    links(later).prev = earlier;
  }

  /// Puts the chain from `first` to `last` at the end of a bucket.
  void append(Bucket bucket, Index first, Index last) {
    join(sentinels_[bucket].prev, first);
    join(last, sentinel(bucket));
  }

  void append(Bucket bucket, Index index) {
    const Index last = sentinels_[bucket].prev;
    timers_.queue_data(index).links = {sentinel(bucket), last};
    links(last).next = index;
    sentinels_[bucket].prev = index;
    if (is_sentinel(last)) occupied_.set(bucket);
  }

  void reset(Bucket bucket) {
    sentinels_[bucket] = {sentinel(bucket), sentinel(bucket)};
    occupied_.clear(bucket);
  }

  // Sorts the chain that starts at `first` and ends with kNone. Uses only the links `next`. Runs of
  // 1, 2, 4 … timers wait in `runs` until a run of the same length comes. Then the two are merged.
  Index merge_sort(Index first) {
    Index runs[32];
    std::size_t used = 0;
    for (std::uint32_t count = 1; first != kNone; ++count) {
      Index run = first;
      first = std::exchange(links(first).next, kNone);
      for (std::uint32_t halves = count; halves % 2 == 0; halves /= 2) {
        run = merge(runs[--used], run);
      }
      runs[used++] = run;
    }
    Index sorted = runs[--used];
    while (used > 0) sorted = merge(runs[--used], sorted);
    return sorted;
  }

  Index merge(Index earlier, Index later) {
    Index merged = kNone;
    Index* end = &merged;
    while (earlier != kNone && later != kNone) {
      Index& least = deadline(later) < deadline(earlier) ? later : earlier;
      *end = least;
      end = &links(least).next;
      least = *end;
    }
    *end = earlier != kNone ? earlier : later;
    return merged;
  }

  Timers timers_;
  std::vector<Links> sentinels_;  // both links of an empty bucket lead to its sentinel
  OccupancyBits<> occupied_;
};

}  // namespace timers
