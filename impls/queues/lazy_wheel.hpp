#pragma once

/// A wheel whose buckets hold no timers, but notes of when to look at which timer.
///
/// Timers stand in cells, and nothing links them. The wheel holds *visits*: eight bytes that say
/// which cell to look at, and at which tick. A pending timer has a visit at its deadline or before.
/// All other changes of a timer happen in its cell alone:
///   - A cancel frees the cell. The visit stays.
///   - A re-arm writes the deadline. The visit stays, unless it would come too late: then a second
///     visit is added, and the first one is stale.
///   - An insert takes the cell that was freed last. If the last timer of that cell left a visit
///     that is early enough, no visit is added.
/// At a visit the timer runs if it is due. A timer that was put off gets a visit at its new
/// deadline, and a free cell gets none. So a time limit that is set and cancelled, as nearly all
/// are, touches little but its cell. If a timer is put off many times between two visits, only the
/// last time counts. results/lazy_wheel.md tells the whole story, and where the queue loses.
///
/// A timer that stays keeps its deadline and the tick of its visit in its owner, and not in its
/// cell. So to arm or disarm the timer touches only the owner. The cell says where the owner is.
///
/// The visits stand in wheels within wheels (wheel_levels.hpp), in chunks of memory. They are
/// appended at the ends of lists. A cascade streams them from list to list. With levels of 256
/// buckets it looks at cells only where time comes to a multiple of 2^40 ticks. A linked list waits
/// for memory at each timer. Here the address of a cell never depends on memory that is being
/// fetched, so the processor fetches many cells at once.
///
/// To put timers off lazily is old: FreeBSD's TCP does so with its keep-alive timer. But we have
/// seen nowhere else that the next timer of a cell uses the visit of a cancelled timer.
///
///     insert       O(1): the cell, and an append if it has no visit that is early enough
///     cancel       O(1): the cell
///     re-arm       O(1): the cell, and an append if its visit comes too late
///     expire       O(1) a visit, even in vain, and a copy of eight bytes for each of its cascades
///     next_expiry  O(1): the next visit, even one in vain, if its bucket has up to 31 visits and
///                  is on level 4 or below (of levels of 256 buckets); else the first tick of the
///                  bucket, which is early by one wake per level
///
/// When a limit cuts an `expire` short, the call has already found the timer that runs next. A
/// cancel or re-arm of that timer looks for the one after it.
///
/// Choose it, unless equal deadlines must run in order or no call may be long: one call cascades
/// all of a full bucket of a high level. It has other weaknesses. A timer that was cancelled or put
/// off costs a visit in vain. A timer that is re-armed to ever earlier deadlines leaves stale
/// visits behind. A sweep drops them when there are more than four visits for each cell plus 256.

#include <algorithm>
#include <array>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "impls/queues/parts/chunk_lists.hpp"
#include "impls/queues/parts/occupancy_bits.hpp"
#include "impls/queues/parts/staying_timers.hpp"
#include "impls/queues/parts/timer_slab.hpp"
#include "impls/queues/parts/wheel_levels.hpp"
#include "impls/timer_queue.hpp"

namespace timers {

namespace lazy_wheel {

/// The lower 32 bits of a tick, and a cell.
struct Visit {
  std::uint32_t when;
  std::uint32_t index;
};

/// What the wheel knows of a timer.
struct TimerData {
  Tick deadline = 0;
  Tick visit = 0;  // the tick of the visit that counts; 0 if there is none

  /// A stale visit with the same lower bits is taken for the one that counts. That does no harm: a
  /// timer that is not due then gets another visit.
  bool counts(Visit other) const { return static_cast<std::uint32_t>(visit) == other.when; }
};

/// What the wheel knows of a timer that stays. It stands in the timer's owner.
struct StayingData : TimerData {
  std::uint32_t index = 0;
  bool is_pending = false;
};

/// What stands in a cell. It outlives the timer: the next timer of the cell may use the visit.
union CellData {
  TimerData timer = {};
  StayingData* owner;  // of a timer that stays
};

}  // namespace lazy_wheel

template <class TaskType, unsigned Bits = 8>
class LazyWheel;

template <class TaskType, unsigned Bits>
struct KeptByOwner<LazyWheel<TaskType, Bits>> {
  using Type = lazy_wheel::StayingData;
  static constexpr std::size_t kAlignment = 32;  // So it lies in one line of the cache.
};

/// `Bits` is the size of a level: it has 2^Bits buckets.
template <class TaskType, unsigned Bits>
class LazyWheel : public StayingTimers<LazyWheel<TaskType, Bits>, TaskType> {
  friend StayingTimers<LazyWheel, TaskType>;
  friend StayingTimer<LazyWheel>;
  static_assert(Bits == 2 || Bits == 4 || Bits == 8, "a level has 2, 4 or 8 bits");
  using Levels = WheelLevels<Bits>;

 public:
  using Task = TaskType;
  using Handle = TimerHandle;
  static inline const std::string name =
      Bits == 8 ? "lazy_wheel" : "lazy_wheel_" + std::to_string(Bits) + "bit";
  static constexpr Growth growth = Growth::constant;
  static constexpr bool fifo = false;
  /// A timer may leave up to four stale visits. While visits are few, each has a chunk to itself.
  static constexpr std::size_t max_garbage = 4;
  /// On each level but 0 `next_expiry` may know only the bucket of a visit.
  static constexpr Tick max_wakes(Tick delay) { return Levels::level_of(delay) + 2; }

  Handle insert(Tick deadline, Task task) {
    deadline = time_.deadline_for(deadline);
    timers_.reserve_one();
    reserve_visit(deadline);
    const Index index = timers_.acquire(std::move(task));
    start(index, timers_.queue_data(index).timer, deadline);
    return timers_.handle(index);
  }

  bool cancel(Handle handle) {
    return timers_.if_alive(handle, [this](Index index) {
      Task task = timers_.release(index);
      seek_due_again();
      return task;
    });
  }

  bool rearm(Handle handle, Tick deadline) {
    return timers_.if_alive(handle, [&](Index index) {
      deadline = time_.deadline_for(deadline);
      reserve_visit(deadline);
      move(index, timers_.queue_data(index).timer, deadline);
    });
  }

  template <class OnExpiry>
  std::size_t expire(Tick now, OnExpiry&& on_expiry, std::size_t limit = kNoLimit) {
    if (!time_.move_to(now)) return 0;
    if (due_.empty()) {
      if (first_tick_ > now) {  // An empty tick ends here.
        cursor_ = now;
        return 0;
      }
      seek_due();
    }
    return time_.run(limit, [&] {
      if (due_.empty()) return false;
      const Index index = take(due_).index;
      const Tick deadline = cursor_;
      this->run(index, deadline, on_expiry, [this] { seek_next(); });
      return true;
    });
  }

  std::optional<Tick> next_expiry() const {
    if (size() == 0) return std::nullopt;
    return due_.empty() ? next_visit() : cursor_;
  }

  std::size_t size() const { return timers_.size(); }

  /// How often a visit has moved to another level, was in vain, or was looked at by a sweep.
  std::uint64_t moves() const { return moves_; }

 private:
  using Visit = lazy_wheel::Visit;
  using TimerData = lazy_wheel::TimerData;
  using StayingData = lazy_wheel::StayingData;
  static constexpr unsigned kTickBits = 32;
  static constexpr Tick kTickMask = (Tick{1} << kTickBits) - 1;

  using Timers = TimerSlab<Task, lazy_wheel::CellData>;
  using Index = typename Timers::Index;
  using Visits = ChunkLists<Visit>;
  using List = typename Visits::List;
  using Reader = typename Visits::Reader;

  static constexpr unsigned kTopByBits = kTickBits / Bits;  // from here down, 32 bits suffice

  static constexpr std::size_t kRoomAtOnce = 64;  // visits for which memory is reserved at once
  static constexpr std::size_t kFewCells = 8192;  // 256 kB with a task of 8 bytes: in a cache

  // It sweeps if there are more than kVisitsACell visits for each cell plus kSpareVisits.
  static constexpr std::size_t kVisitsACell = 4;
  static constexpr std::size_t kSpareVisits = 256;
  static constexpr std::size_t kSweptAtOnce = 256;  // visits that a sweep looks at

  using Bucket = std::size_t;  // in the order of their times
  static constexpr std::size_t kSlots = Levels::kSlots;
  static constexpr Bucket kBuckets = Levels::kBuckets;

  Bucket bucket_for(Tick tick) const { return Levels::bucket_for(tick, cursor_); }
  Tick start_of(Bucket bucket) const {
    return Levels::start_of(static_cast<typename Levels::Bucket>(bucket), cursor_);
  }

  bool has_many_cells() const { return timers_.cells() > kFewCells; }
  bool fetches_owners() const { return timers_.has_staying() && has_many_cells(); }

  /// Makes sure that a visit for this deadline can be added, and can move until it comes. A re-arm
  /// needs this even if it adds no visit: when the old visit comes, `expire` adds one at the new
  /// deadline. After this an insert or re-arm cannot fail.
  void reserve_visit(Tick deadline) {
    const Tick difference = deadline ^ cursor_;
    if (room_ == 0 || difference > reserved_span_) [[unlikely]]
      make_room(difference);
  }

  [[gnu::noinline]] void make_room(Tick difference) {
    if (visits() > kVisitsACell * timers_.cells() + kSpareVisits) sweep(kSweptAtOnce);
    const std::size_t capacity = visits() + kRoomAtOnce;
    const unsigned top_level = Levels::level_of(difference | reserved_span_);
    lists_.reserve(capacity, (top_level + 1) * kSlots);
    capacity_ = capacity;
    room_ = kRoomAtOnce;
    reserved_span_ = ~Tick{0} >> (64 - (top_level + 1) * Bits);
  }

  /// How many visits there are, including those in chunks that are being read.
  std::size_t visits() const { return capacity_ - room_; }

  /// Sets a timer that was not pending. Often nobody can predict whether its cell has a visit that
  /// is early enough, and a mispredicted branch costs more than all else here. So there is no
  /// branch: the visit is written in any case, and kept if it is needed.
  void start(Index index, TimerData& timer, Tick deadline) {
    const bool needed = (timer.visit <= cursor_) | (timer.visit > deadline);
    timer.deadline = deadline;
    List& list = buckets_[bucket_for(deadline)];
    if (!list.has_room() || time_.has_ended()) [[unlikely]] {
      start_without_room(index, timer, needed);
      return;
    }
    list.push_if(needed, visit_at(deadline, index));
    timer.visit ^= (timer.visit ^ deadline) & -Tick{needed};  // = deadline, if it is needed
    room_ -= needed;
  }

  /// The same if the bucket has no room for the visit, or if time has ended.
  [[gnu::noinline]] void start_without_room(Index index, TimerData& timer, bool needed) {
    if (time_.has_ended()) {
      never_run(timer);
    } else if (needed) {
      add_visit(index, timer, timer.deadline);
    }
  }

  /// Gives a pending timer another deadline. Its visit is mostly early enough, because most re-arms
  /// put a timer off.
  void move(Index index, TimerData& timer, Tick deadline) {
    if (time_.has_ended()) [[unlikely]] {
      never_run(timer);
    } else {
      timer.deadline = deadline;
      if (timer.visit > deadline) add_visit(index, timer, deadline);
    }
    seek_due_again();
  }

  /// A deadline of 0 is never due, and gets no visit.
  static void never_run(TimerData& timer) { timer = {}; }

  static Visit visit_at(Tick tick, Index index) {
    return {static_cast<std::uint32_t>(tick), index};
  }

  void add_visit(Index index, TimerData& timer, Tick tick) {
    assert(room_ != 0);
    --room_;
    timer.visit = tick;
    append(visit_at(tick, index), bucket_for(tick));
  }

  void append(Visit visit, Bucket bucket) {
    if (!buckets_[bucket].has_room()) [[unlikely]]
      extend(bucket);
    buckets_[bucket].push(visit);
  }

  [[gnu::noinline]] void extend(Bucket bucket) {
    if (buckets_[bucket].empty()) {
      in_use_.set(bucket);
      if (bucket < first_bucket_) set_first(bucket);
    }
    lists_.add_chunk(buckets_[bucket]);
  }

  Timers& slab() { return timers_; }

  // For timers that stay. Whether one is pending, only its owner says.

  StayingData kept_for(Index new_cell) {
    return {{.visit = timers_.queue_data(new_cell).timer.visit}, new_cell, false};
  }

  void owner_is(StayingData& owner) { timers_.queue_data(owner.index).owner = &owner; }

  bool arm_cell(StayingData& owner, Tick deadline) {
    deadline = time_.deadline_for(deadline);
    reserve_visit(deadline);
    if (owner.is_pending) {
      move(owner.index, owner, deadline);
      return true;
    }
    start(owner.index, owner, deadline);
    owner.is_pending = true;
    timers_.count_armed();
    return false;
  }

  static bool waits(const StayingData& owner) { return owner.is_pending; }

  void rest(StayingData& owner) {
    owner.is_pending = false;
    timers_.count_resting();
  }
  void rest(Index index) { rest(owner_of(index)); }

  void disarm_cell(StayingData& owner) {
    rest(owner);
    seek_due_again();
  }

  void drop_cell(const StayingData& owner) {
    timers_.queue_data(owner.index).timer = owner;
    timers_.drop(owner.index);
  }

  StayingData& owner_of(Index index) const { return *timers_.queue_data(index).owner; }

  /// Called after a change: it may concern the timer that was due first.
  void seek_due_again() {
    if (!due_.empty() && !front_is_due()) [[unlikely]]
      seek_due();
  }

  /// After a timer was taken out, and before it runs: finds the timer that is due next.
  void seek_next() {
    if (!due_.empty()) {
      if (!front_is_due()) seek_due();
    } else if (!due_list_.empty() || first_tick_ <= time_.now()) {
      seek_due();
    } else {
      cursor_ = time_.now();
    }
  }

  /// Goes through the visits up to now, until it comes to a timer that is due. After that, due_
  /// begins with a timer that is due, or no timer is due.
  [[gnu::noinline]] void seek_due() {
    for (;;) {
      for (; !due_.empty(); ++moves_) {
        if (front_is_due()) return;
        settle(take(due_));
      }
      if (!due_list_.empty()) {
        due_ = take_chunk(due_list_);
      } else if (!advance()) {
        return;
      }
    }
  }

  /// A timer is due at its deadline, even if a stale visit comes then.
  bool front_is_due() const {
    const Index index = due_.front().index;
    if (timers_.is_pending(index)) return timers_.queue_data(index).timer.deadline == cursor_;
    if (!timers_.stays(index)) return false;
    const StayingData& owner = owner_of(index);
    return owner.deadline == cursor_ && owner.is_pending;
  }

  /// Called after a visit at which nothing runs: a timer that was put off gets a visit at its
  /// deadline, and a free cell gets none. A visit that does not count is stale.
  void settle(Visit visit) {
    if (timers_.stays(visit.index)) [[unlikely]] {
      StayingData& owner = owner_of(visit.index);
      if (owner.counts(visit)) settle(visit.index, owner, owner.is_pending);
    } else {
      TimerData& timer = timers_.queue_data(visit.index).timer;
      if (timer.counts(visit)) settle(visit.index, timer, timers_.is_pending(visit.index));
    }
  }

  void settle(Index index, TimerData& timer, bool is_pending) {
    if (is_pending && timer.deadline >= cursor_) {
      add_visit(index, timer, timer.deadline);
    } else {
      timer.visit = 0;
    }
  }

  /// Moves the cursor to the next bucket in use on level 0, whose visits go to due_list_. On the
  /// way it empties buckets of higher levels. Returns false if there is no such bucket up to now.
  bool advance() {
    assert(first_bucket_ == in_use_.first().value_or(kBuckets));
    while (first_tick_ <= time_.now() && first_bucket_ != kBuckets) {
      cursor_ = first_tick_;
      in_use_.clear(first_bucket_);
      List& list = buckets_[first_bucket_];
      const std::size_t level = first_bucket_ / kSlots;
      if (level == 0) {
        due_list_ = std::exchange(list, {});
        fetch_first(due_list_);
        find_next_tick();
        return true;
      }
      if (level > kTopByBits) {
        fetch_first(list);
        while (!list.empty()) visit_chunk(list);
      } else {
        if (cursor_ != time_.now()) {  // Time jumps, and need not stop at the start of the bucket.
          const Tick first = next_visit();
          if (list.has_one_entry() && first <= time_.now()) {
            cursor_ = first;  // A cascade would move the visit to level 0, and then to due_list_.
            due_list_ = std::exchange(list, {});
            find_first();
            return true;
          }
          cursor_ = std::min(first, time_.now());
        }
        cascade(level);
      }
      find_first();
    }
    cursor_ = time_.now();
    return false;
  }

  /// Goes from a bucket of level 0 to the next bucket in use. Tries the next tick first.
  void find_next_tick() {
    const Bucket next = first_bucket_ + 1;
    if (next < kSlots && !buckets_[next].empty()) {
      first_bucket_ = next;
      ++first_tick_;
    } else {
      find_first();
    }
  }

  /// A tick before which no visit comes. It is the tick of the first visit, if the first bucket has
  /// one chunk and is on level kTopByBits or below. Else it is the first tick of that bucket.
  Tick next_visit() const {
    const std::size_t level = first_bucket_ / kSlots;
    if (level == 0 || level > kTopByBits) return first_tick_;
    const List& list = buckets_[first_bucket_];
    if (!list.has_one_chunk()) return first_tick_;
    Tick least = kTickMask;
    list.for_first_chunk([&](Visit visit) { least = std::min(least, Tick{visit.when}); });
    return (first_tick_ & ~kTickMask) | least;
  }

  /// Moves the visits of the first bucket, which is on this level, to lower levels. It does not
  /// look at their cells.
  [[gnu::noinline]] void cascade(std::size_t level) {
    List& list = buckets_[first_bucket_];
    const Tick above = cursor_ & ~kTickMask;
    while (!list.empty()) {
      const Reader chunk = lists_.pop_chunk(list);  // Visits that move give no room back.
      moves_ += chunk.size();
      if (level == 1) {
        cascade_to_ticks(chunk);
      } else {
        lists_.pop_all(chunk, [&](Visit visit) { append(visit, bucket_for(above | visit.when)); });
      }
    }
  }

  /// Moves the visits of a chunk from level 1 to level 0. Their time is near, so their cells are
  /// fetched, and the owners that these name.
  void cascade_to_ticks(const Reader& chunk) {
    const auto append_to_tick = [&](Visit visit) { append(visit, visit.when % kSlots); };
    fetch(chunk);
    if (!fetches_owners()) {
      lists_.pop_all(chunk, append_to_tick);
      return;
    }
    std::array<Visit, Visits::kEntriesAChunk> moved;
    const auto end = std::copy(chunk.begin(), chunk.end(), moved.begin());
    lists_.pop_all(chunk, append_to_tick);  // Meanwhile the cells come.
    fetch_owners({moved.begin(), end});
  }

  /// Returns how many visits the chunk had.
  std::size_t visit_chunk(List& list) {
    Reader chunk = take_chunk(list);
    const std::size_t size = chunk.size();
    moves_ += size;
    while (!chunk.empty()) settle(take(chunk));
    return size;
  }

  /// Takes out the first chunk, and prefetches the cells of the next chunk's visits. The cells of
  /// this chunk are there, so the owners that they name are prefetched.
  Reader take_chunk(List& list) {
    const Reader chunk = lists_.pop_chunk(list);
    fetch_first(list);
    if (fetches_owners()) fetch_owners({chunk.begin(), chunk.end()});
    return chunk;
  }

  /// Takes out a visit. This makes room for one more: the timer may get another visit.
  Visit take(Reader& chunk) {
    ++room_;
    return lists_.pop(chunk);
  }

  void fetch_first(const List& list) const {
    if (!has_many_cells()) return;
    list.for_first_chunk([this](Visit visit) { timers_.prefetch(visit.index); });
  }

  void fetch(const Reader& chunk) const {
    if (!has_many_cells()) return;
    for (const Visit& visit : chunk) timers_.prefetch(visit.index);
  }

  /// Fetches the owners of timers that stay, whose cells must be there.
  [[gnu::noinline]] void fetch_owners(std::span<const Visit> visits) const {
    for (const Visit visit : visits) {
      if (timers_.stays(visit.index)) __builtin_prefetch(&owner_of(visit.index), 1);
    }
  }

  /// Looks at `count` visits, and goes on from there the next time. Visits in vain are dropped. The
  /// others go to the deadlines of their timers, and so perhaps to the end of the same bucket. The
  /// sweep of a bucket ends with the chunk that was last when it began. That chunk may be gone by
  /// then. So the sweep also ends after as many chunks as the bucket can have had.
  void sweep(std::size_t count) {
    for (std::size_t looked_at = 0; looked_at < count;) {
      if (last_to_sweep_ == nullptr || buckets_[swept_].empty()) {
        const std::optional<Bucket> first = in_use_.first();
        if (!first) break;
        swept_ = in_use_.first_from(swept_ + 1).value_or(*first);
        last_to_sweep_ = buckets_[swept_].last_chunk();
        chunks_to_sweep_ = visits() / Visits::kEntriesAChunk + 1;
      }
      List& list = buckets_[swept_];
      if (--chunks_to_sweep_ == 0 || list.first_chunk() == last_to_sweep_) last_to_sweep_ = nullptr;
      looked_at += visit_chunk(list);
      if (list.empty()) in_use_.clear(swept_);
    }
    find_first();
  }

  void find_first() { set_first(in_use_.first().value_or(kBuckets)); }

  void set_first(Bucket bucket) {
    first_bucket_ = bucket;
    first_tick_ = bucket == kBuckets ? kEndOfTime : start_of(bucket);
  }

  // Invariants between two calls:
  //   - A pending timer has its visit in a bucket, in due_ or in due_list_. The visit is not after
  //     the deadline. Only a timer that was set at the end of time has none, and never runs.
  //   - If `visit` of a cell is after the cursor, that visit is in a bucket. The cell may be free.
  //   - due_ is empty, or begins with a timer that is due.
  VirtualTime time_;
  Tick cursor_ = 0;                 // now; or the deadline of the timer that is due first
  Bucket first_bucket_ = kBuckets;  // the first bucket in use, or none
  Tick first_tick_ = kEndOfTime;    // the first tick of that bucket
  Reader due_;                      // visits at the cursor that are being read
  List due_list_;                   // the other visits at the cursor
  std::size_t room_ = 0;            // how many more visits can be added
  std::size_t capacity_ = 0;        // chunks are reserved for this number of visits,
  Tick reserved_span_ = 0;          // and for deadlines that differ from the cursor in these bits
  std::uint64_t moves_ = 0;
  Bucket swept_ = 0;                     // the bucket that is swept now,
  const void* last_to_sweep_ = nullptr;  // the chunk of that bucket to be swept last, or nullptr,
  std::size_t chunks_to_sweep_ = 0;      // and how many of its chunks to sweep at most
  OccupancyBits<kBuckets> in_use_;
  std::array<List, kBuckets> buckets_{};
  Visits lists_;
  Timers timers_;
};

}  // namespace timers
