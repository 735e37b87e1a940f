#pragma once

/// A ladder: timers wait unsorted, and are sorted bit by bit as their time comes near.
///
/// The ladder queue of Tang, Goh & Thng (ACM TOMACS 15(3), 2005), made for the events of
/// simulations; WARPED2 and miniSSF have it. What is far away lies unsorted in the *top*. When time
/// comes to it, the top is spread over a *rung*: a row of buckets of equal width, as many as there
/// are timers. When time comes to a bucket with few timers, they are sorted and become the
/// *bottom*, from which timers run. If it has many, they are spread over a finer rung of 64
/// buckets, and so on down to buckets of a tick. So the widths follow from where the deadlines are,
/// and nothing has to be tuned.
///
/// Equal deadlines run in the order in which they were set. All timers of one deadline are in one
/// list, in that order: each list has a span of time of its own, and moves as a whole. To sort a
/// list does not change the order of equals.
///
/// Two things are not as in the paper. A bucket is opened only when time has come to it, and not as
/// soon as the bottom is empty. So each rung lies within one bucket of the rung above, whatever is
/// set later, and rungs are few. And lists are linked both ways, through the timers' cells, so that
/// any timer can be cancelled at once.
///
///     insert       O(1) amortised, plus a look at each rung; the bottom is spread when an insert
///                  passes more than 64 timers in it
///     cancel       O(1)
///     re-arm       as much as insert
///     expire       O(1) amortised a timer for each rung, of which there are at most 12
///     next_expiry  O(1), early by at most one wake per rung
///
/// About one expire in n spreads the top: O(n).
///
/// It is made for a simulation with very many timers, of any delays. lazy_wheel is faster there,
/// and with some delays heaps are, too. Its weakness is that a large queue waits for memory: on its
/// way down a timer is touched a few times, and so are its neighbours. And some calls are very
/// long.

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>

#include "impls/queues/parts/staying_timers.hpp"
#include "impls/queues/parts/timer_buckets.hpp"
#include "impls/queues/parts/timer_slab.hpp"
#include "impls/timer_queue.hpp"

namespace timers {

/// A rung below the coarsest has up to 2^Bits buckets. A bucket with more than 2^Bits timers is
/// spread over such a rung.
template <class TaskType, unsigned Bits = 6>
class LadderQueue : public StayingTimers<LadderQueue<TaskType, Bits>, TaskType> {
  static_assert(Bits >= 1 && Bits <= 12, "a rung has from 2 to 4096 buckets");
  friend StayingTimers<LadderQueue, TaskType>;

 public:
  using Task = TaskType;
  using Handle = TimerHandle;
  static inline const std::string name =
      Bits == 6 ? "ladder_queue" : "ladder_queue_" + std::to_string(Bits) + "bit";
  static constexpr Growth growth = Growth::constant;

  /// Outside of the top and the bottom, `next_expiry` knows only the bucket of a timer.
  static constexpr Tick max_wakes(Tick delay) {
    return static_cast<Tick>(std::bit_width(delay | 1) - 1) / Bits + 3;
  }

  Handle insert(Tick deadline, Task task) {
    make_room();
    buckets_.reserve_one();
    deadline = time_.deadline_for(deadline);
    const Bucket bucket = bucket_for(deadline);
    const Handle handle = buckets_.insert(bucket, deadline, std::move(task));
    settle(handle.index, bucket, deadline);
    return handle;
  }

  bool cancel(Handle handle) {
    return buckets_.if_alive(handle, [this](Index index) {
      leave(index);
      return slab().release(index);
    });
  }

  bool rearm(Handle handle, Tick deadline) {
    return buckets_.if_alive(handle, [&](Index index) { put_off(index, deadline); });
  }

  template <class OnExpiry>
  std::size_t expire(Tick now, OnExpiry&& on_expiry, std::size_t limit = kNoLimit) {
    if (!time_.move_to(now) || next_ > now) return 0;
    descend();
    return time_.run(limit, [&] {
      if (next_ > time_.now()) return false;
      const Index first = buckets_.front(kBottom);
      if (first == kNone) return false;  // at the end of time `next_` cannot be after now
      const Tick deadline = buckets_.deadline(first);
      leave(first);
      this->run(first, deadline, on_expiry);
      return true;
    });
  }

  std::optional<Tick> next_expiry() const {
    return size() == 0 ? std::nullopt : std::optional(next_);
  }

  std::size_t size() const { return buckets_.size(); }

 private:
  using Timers = TimerBuckets<Task>;
  using Index = typename Timers::Index;
  using Bucket = typename Timers::Bucket;
  static constexpr Index kNone = Timers::kNone;

  // After the first three lists come the buckets of the rungs, in the order of their times: those
  // of the finest rung first, those of the coarsest last, because their number grows.
  static constexpr Bucket kNever = 0;  // timers that were set at the end of time
  static constexpr Bucket kTop = 1;
  static constexpr Bucket kBottom = 2;
  static constexpr Bucket kRungs = 3;
  static constexpr Bucket kMany = Bucket{1} << Bits;
  static constexpr std::size_t kMostRungs = 1 + (63 + Bits - 1) / Bits;
  static constexpr Bucket kFirstRung = kRungs + (kMostRungs - 1) * kMany;

  /// A row of buckets, each of 2^width_bits ticks.
  struct Rung {
    Bucket buckets;  // the number of its first bucket
    unsigned width_bits;
    Tick start;   // the first tick of its span
    Tick last;    // the last tick of its span
    Tick opened;  // the last tick of the buckets that were opened

    Bucket bucket_for(Tick tick) const {
      return buckets + static_cast<Bucket>((tick - start) >> width_bits);
    }
    bool has(Bucket bucket) const { return bucket >= buckets && bucket <= bucket_for(last); }
    Tick start_of(Bucket bucket) const { return start + (Tick{bucket - buckets} << width_bits); }
    Tick last_of(Bucket bucket) const {
      const Tick width = Tick{1} << width_bits;
      const Tick its_start = start_of(bucket);
      return last - its_start < width ? last : its_start + (width - 1);
    }
  };

  Bucket bucket_for(Tick deadline) const {
    if (time_.has_ended()) return kNever;
    if (deadline > last_) return kTop;
    for (std::size_t i = 0; i < rung_count_; ++i) {
      if (deadline > rungs_[i].opened) return rungs_[i].bucket_for(deadline);
    }
    return kBottom;
  }

  auto& slab() { return buckets_.slab(); }

  bool arm_cell(Index index, Tick deadline) {
    if (slab().is_pending(index)) {
      put_off(index, deadline);
      return true;
    }
    make_room();
    deadline = time_.deadline_for(deadline);
    const Bucket bucket = bucket_for(deadline);
    buckets_.arm(index, bucket, deadline);
    settle(index, bucket, deadline);
    return false;
  }

  void disarm_cell(Index index) {
    leave(index);
    slab().disarm(index);
  }

  /// Gives a pending timer a new deadline.
  void put_off(Index index, Tick deadline) {
    deadline = time_.deadline_for(deadline);
    const Bucket bucket = bucket_for(deadline);
    buckets_.move(index, bucket, deadline);
    settle(index, bucket, deadline);
    if (next_ <= time_.now()) descend();
  }

  /// Finishes the insertion of a timer that was put at the end of a list.
  void settle(Index index, Bucket bucket, Tick deadline) {
    if (bucket == kNever) return;
    next_ = std::min(next_, deadline);
    if (bucket == kTop) {
      const bool is_alone = buckets_.front(kTop) == index;
      top_first_ = is_alone ? deadline : std::min(top_first_, deadline);
      top_last_ = is_alone ? deadline : std::max(top_last_, deadline);
    } else if (bucket == kBottom && buckets_.sort_in(index) > kMany) {
      spread_bottom();
    }
  }

  /// Takes a timer out of its list.
  void leave(Index index) {
    buckets_.unlink(index);
    if (next_ <= time_.now()) descend();
  }

  /// Brings down what may be due. After that `next_` is not after now if and only if a timer is
  /// due, and then the first timer of the bottom is due.
  void descend() {
    while (buckets_.front(kBottom) == kNone && open_next()) {
    }
    next_ = first_tick();
  }

  /// If time has come to it: opens the next bucket or the top, or removes a rung that is finished.
  [[gnu::noinline]] bool open_next() {
    const Tick now = time_.now();
    if (rung_count_ == 0) {
      if (buckets_.front(kTop) == kNone || top_first_ > now) return false;
      open_top();
      return true;
    }
    Rung& rung = rungs_[rung_count_ - 1];
    const auto bucket = buckets_.first_occupied(rung.buckets);
    if (bucket && rung.has(*bucket)) {
      if (rung.start_of(*bucket) > now) return false;
      rung.opened = rung.last_of(*bucket);
      open(*bucket, rung);
      return true;
    }
    if (rung.last > now) return false;
    --rung_count_;
    return true;
  }

  void open(Bucket bucket, const Rung& rung) {
    if (rung.width_bits > 0 && buckets_.is_longer_than(bucket, kMany)) {
      spawn_below(rung, bucket);
    } else {
      buckets_.splice(bucket, kBottom);
      if (rung.width_bits > 0) buckets_.sort(kBottom);
    }
  }

  void open_top() {
    const Tick first = top_first_;
    last_ = top_last_;
    if (buckets_.is_longer_than(kTop, kMany)) {
      spawn_first(first, kTop);
    } else {
      buckets_.splice(kTop, kBottom);
      buckets_.sort(kBottom);
    }
  }

  /// Spreads a bottom in which an insert takes too long, as if its bucket had been that full when
  /// it was opened.
  [[gnu::noinline]] void spread_bottom() {
    if (rung_count_ == 0) {
      spawn_first(std::min(buckets_.deadline(buckets_.front(kBottom)), time_.now() + 1), kBottom);
    } else {
      spawn_below(rungs_[rung_count_ - 1], kBottom);
    }
    descend();
  }

  /// Spreads a list over a rung of its own, the coarsest, that reaches to `last_`.
  void spawn_first(Tick start, Bucket from) {
    const Tick span = last_ - start;
    const Tick most = std::max<Tick>(size(), kMany);
    const unsigned width_bits = static_cast<unsigned>(std::bit_width(span / most));
    spawn({kFirstRung, width_bits, start, last_, start - 1}, from);
  }

  /// Spreads a list over a rung that is finer than `rung`, in the place of the bucket that was
  /// opened last.
  void spawn_below(const Rung& rung, Bucket from) {
    assert(rung.width_bits > 0);
    const Bucket opened = rung.bucket_for(rung.opened);
    const Tick start = rung.start_of(opened);
    const Bucket buckets = rung.buckets - kMany;
    const unsigned width_bits = std::max(rung.width_bits, Bits) - Bits;
    spawn({buckets, width_bits, start, rung.opened, start - 1}, from);
  }

  void spawn(const Rung& rung, Bucket from) {
    rungs_[rung_count_++] = rung;
    buckets_.distribute(from, [&rung](Tick deadline) { return rung.bucket_for(deadline); });
  }

  /// A tick before which no timer is due: that of the first timer in the bottom, or the start of a
  /// bucket.
  Tick first_tick() const {
    if (const Index first = buckets_.front(kBottom); first != kNone) {
      return buckets_.deadline(first);
    }
    if (const auto bucket = buckets_.first_occupied(kRungs)) {
      for (std::size_t i = rung_count_; i-- > 0;) {
        if (rungs_[i].has(*bucket)) return rungs_[i].start_of(*bucket);
      }
    }
    return buckets_.front(kTop) == kNone ? kEndOfTime : top_first_;
  }

  /// Makes sure that the coarsest rung can have a bucket for each timer, and for one more timer.
  void make_room() {
    if (size() < room_) return;
    buckets_.grow(kFirstRung + 2 * room_);
    room_ *= 2;
  }

  VirtualTime time_;
  Tick next_ = kEndOfTime;  // no timer is due before this tick
  Tick last_ = 0;           // timers after this tick are in the top
  Tick top_first_ = 0;      // no timer in the top is due before this tick,
  Tick top_last_ = 0;       // and none after this one
  std::size_t rung_count_ = 0;
  std::array<Rung, kMostRungs> rungs_{};  // from the coarsest to the finest
  Bucket room_ = kMany;                   // how many buckets the coarsest can have
  Timers buckets_{kFirstRung + kMany};
};

}  // namespace timers
