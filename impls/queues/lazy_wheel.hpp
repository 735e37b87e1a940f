#pragma once

/// A wheel whose buckets hold no timers, but notes of when to look at which timer.
///
/// Timers stand in cells, and nothing links them. The wheel holds *visits*: eight bytes that say
/// which cell to look at, and at which tick. A pending timer has a visit at its deadline or before.
/// All else that happens to the timer happens in its cell alone:
///   - to cancel is to free the cell; the visit stays;
///   - to re-arm is to write the deadline; the visit stays, unless it would come too late: then
///     there is another, and the first is stale;
///   - to insert is to take the cell that was freed last; if its last timer left a visit that is
///     early enough, none is added.
/// At a visit a timer that is due runs. A timer that was put off gets a visit at its new deadline,
/// and a free cell gets none. So a time limit that is set and cancelled, as nearly all are, touches
/// little but its cell. If a timer is put off many times between two visits, only the last time
/// counts. results/lazy_wheel.md tells the whole, and where it loses.
///
/// The visits stand in wheels within wheels (wheel_levels.hpp), in chunks of memory. They are
/// appended at the ends of lists. A cascade streams them from list to list, and up to level 3 it
/// looks at no cell. A linked list waits for memory at each timer; here nothing depends on what is
/// being fetched, so that the processor fetches many cells at once. To put off lazily is old:
/// FreeBSD's TCP does so with its keep-alive timer. What we have seen nowhere else is that the next
/// timer of a cell uses the visit of a cancelled one.
///
///     insert       O(1): the cell, and an append if it has no visit that is early enough
///     cancel       O(1): the cell
///     re-arm       O(1): the cell, and an append if its visit comes too late
///     expire       O(1) a visit, also in vain, and a copy of eight bytes for each of its cascades
///     next_expiry  O(1): the next visit, also one in vain, if its bucket has up to 31 visits and
///                  is on level 3 or below; else the first tick of the bucket, which is early by
///                  a wake a level
///
/// When a limit cuts an `expire` short, it has found the timer that runs next. A cancel or re-arm
/// of that timer then looks for the one after it.
///
/// Choose it, unless equal deadlines must run in order or no call may be long: one call cascades
/// the whole of a full bucket of a high level. It has other weaknesses. A timer that was cancelled
/// or put off costs a visit in vain. Deadlines that come ever nearer leave stale visits behind, and
/// a sweep drops them when there are more than two visits a cell, and 256.

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "impls/queues/parts/chunk_lists.hpp"
#include "impls/queues/parts/occupancy_bits.hpp"
#include "impls/queues/parts/staying_timers.hpp"
#include "impls/queues/parts/timer_slab.hpp"
#include "impls/queues/parts/wheel_levels.hpp"
#include "impls/timer_queue.hpp"

namespace timers {

/// `Bits` is the size of a level: it has 2^Bits buckets.
template <class TaskType, unsigned Bits = 8>
class LazyWheel : public StayingTimers<LazyWheel<TaskType, Bits>, TaskType> {
  friend StayingTimers<LazyWheel, TaskType>;
  static_assert(Bits == 2 || Bits == 4 || Bits == 8, "a level has 2, 4 or 8 bits");
  using Levels = WheelLevels<Bits>;

 public:
  using Task = TaskType;
  using Handle = TimerHandle;
  static inline const std::string name =
      Bits == 8 ? "lazy_wheel" : "lazy_wheel_" + std::to_string(Bits) + "bit";
  static constexpr Growth growth = Growth::constant;
  static constexpr bool fifo = false;
  static constexpr std::size_t max_garbage = 1;
  /// `next_expiry` may know no more than the bucket of a visit, on each level but 0.
  static constexpr Tick max_wakes(Tick delay) { return Levels::level_of(delay) + 2; }

  Handle insert(Tick deadline, Task task) {
    deadline = time_.deadline_for(deadline);
    timers_.reserve_one();
    reserve_visit(deadline);
    const Index index = timers_.acquire(std::move(task));
    const TimerData& timer = timers_.queue_data(index);
    set(index, deadline, timer.has_visit() && timer.visit_tick() <= deadline);
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
      // A pending timer has a visit: it only may be too late.
      set(index, deadline, timers_.queue_data(index).visit_tick() <= deadline);
      seek_due_again();
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
      // Its timer is due, even if a sweep has given it another visit since.
      const Index index = take(due_).index;
      const Tick deadline = cursor_;
      timers_.queue_data(index).spend_visit();
      this->run(index, deadline, on_expiry, [this] {
        if (due_.empty() || !front_is_due()) seek_due();
      });
      return true;
    });
  }

  std::optional<Tick> next_expiry() const {
    if (size() == 0) return std::nullopt;
    return due_.empty() ? next_visit() : cursor_;
  }

  std::size_t size() const { return timers_.size(); }

  /// How often a visit has moved to another level, or was for nothing.
  std::uint64_t moves() const { return moves_; }

 private:
  /// A visit's own: the lower 24 bits of its tick, then a bit that is set, and seven that count the
  /// visits of its cell. Two visits of a cell are alike if their ticks agree in these bits and a
  /// multiple of 128 visits lies between them: the first that comes is taken for the one that
  /// counts, which harms nobody, since a timer that is not due then gets another.
  using When = std::uint32_t;
  static constexpr unsigned kTickBits = 24;
  static constexpr When kTickMask = (When{1} << kTickBits) - 1;
  static constexpr When kUnspent = When{1} << kTickBits;

  struct Visit {
    When when;
    std::uint32_t index;
  };

  /// What the wheel keeps in a cell. It outlives the timer: the next one may use its visit.
  struct TimerData {
    std::array<std::uint32_t, 2> deadline_words{};  // a Tick would be aligned, and the cell larger
    When visit = 0;  // the one that counts; when it has come, it is spent

    Tick deadline() const { return std::bit_cast<Tick>(deadline_words); }
    void set_deadline(Tick tick) { deadline_words = std::bit_cast<decltype(deadline_words)>(tick); }

    /// Whether the visit that counts is still to come.
    bool has_visit() const { return (visit & kUnspent) != 0; }

    /// Its tick: the latest one of its bits that is not behind deadline(), still the last one that
    /// was set: with 2^24 + 9 a visit at 5 is taken for 2^24 + 5.
    Tick visit_tick() const { return deadline() - ((deadline() - visit) & kTickMask); }

    void spend_visit() { visit &= ~kUnspent; }

    When new_visit(Tick tick) {
      const When next_tag = (visit | kUnspent | kTickMask) + 1;
      visit = next_tag | kUnspent | (static_cast<When>(tick) & kTickMask);
      return visit;
    }
  };

  using Timers = TimerSlab<Task, TimerData>;
  using Index = typename Timers::Index;
  using Visits = ChunkLists<Visit>;
  using List = typename Visits::List;
  using Reader = typename Visits::Reader;

  static constexpr unsigned kTopByBits = kTickBits / Bits;  // the bits tell where to go from here

  static constexpr std::size_t kRoomAtOnce = 64;    // visits for which memory is reserved at once
  static constexpr std::size_t kSpareVisits = 256;  // with more, and two a cell, it sweeps,
  static constexpr std::size_t kSweptAtOnce = 256;  // and looks at so many each time
  static constexpr std::size_t kFewCells = 8192;    // 200 kB with a task of 8 bytes: in a cache
  static constexpr std::size_t kFewChunks = 512;    // the cells of their visits fit there, too

  using Bucket = std::size_t;  // in the order of their times
  static constexpr std::size_t kSlots = Levels::kSlots;
  static constexpr Bucket kBuckets = Levels::kBuckets;

  Bucket bucket_for(Tick tick) const { return Levels::bucket_for(tick, cursor_); }
  Tick start_of(Bucket bucket) const {
    return Levels::start_of(static_cast<typename Levels::Bucket>(bucket), cursor_);
  }

  bool has_many_cells() const { return timers_.cells() > kFewCells; }

  /// Makes sure that a visit can be added for this deadline, and moved until it comes. A re-arm
  /// needs it also where it adds none: when its visit comes, `expire` adds the next one there. The
  /// rest of an insert or re-arm cannot fail.
  void reserve_visit(Tick deadline) {
    const Tick difference = deadline ^ cursor_;
    if (room_ == 0 || difference > reserved_span_) [[unlikely]]
      make_room(difference);
  }

  [[gnu::noinline]] void make_room(Tick difference) {
    if (visits() > 2 * timers_.cells() + kSpareVisits) sweep(kSweptAtOnce);
    const std::size_t capacity = visits() + kRoomAtOnce;
    const unsigned top_level = Levels::level_of(difference | reserved_span_);
    lists_.reserve(capacity, (top_level + 1) * kSlots);
    capacity_ = capacity;
    room_ = kRoomAtOnce;
    reserved_span_ = ~Tick{0} >> (64 - (top_level + 1) * Bits);
  }

  /// How many there are, also in chunks that are being read.
  std::size_t visits() const { return capacity_ - room_; }

  /// Gives a timer its deadline, and a visit unless it has one that is early enough.
  void set(Index index, Tick deadline, bool has_visit) {
    TimerData& timer = timers_.queue_data(index);
    timer.set_deadline(deadline);
    if (time_.has_ended()) [[unlikely]] {
      timer.spend_visit();  // It never runs.
    } else if (!has_visit) {
      add_visit(index, timer, deadline);
    }
  }

  void add_visit(Index index, TimerData& timer, Tick tick) {
    assert(room_ != 0);
    --room_;
    append({timer.new_visit(tick), index}, tick);
  }

  void append(Visit visit, Tick tick) {
    const Bucket bucket = bucket_for(tick);
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

  bool arm_cell(Index index, Tick deadline) {
    deadline = time_.deadline_for(deadline);
    reserve_visit(deadline);
    const TimerData& timer = timers_.queue_data(index);
    set(index, deadline, timer.has_visit() && timer.visit_tick() <= deadline);
    if (!timers_.is_pending(index)) {
      timers_.arm(index);
      return false;
    }
    seek_due_again();
    return true;
  }

  void disarm_cell(Index index) {
    timers_.disarm(index);
    seek_due_again();
  }

  /// A call may have changed what was due first.
  void seek_due_again() {
    if (!due_.empty() && !front_is_due()) [[unlikely]]
      seek_due();
  }

  /// Looks at all that is to be visited up to now, until it comes to a timer that is due: after
  /// that, due_ begins with one, or none is due.
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

  bool front_is_due() const {
    const auto [when, index] = due_.front();
    const TimerData& timer = timers_.queue_data(index);
    return timer.visit == when && timer.deadline() == cursor_ && timers_.is_pending(index);
  }

  /// After a visit at which nothing runs: a timer that was put off gets a visit at its deadline,
  /// and a free cell gets none.
  void settle(Visit visit) {
    TimerData& timer = timers_.queue_data(visit.index);
    if (timer.visit != visit.when) return;  // It is stale.
    if (timers_.is_pending(visit.index)) {
      add_visit(visit.index, timer, timer.deadline());
    } else {
      timer.spend_visit();
    }
  }

  /// Moves the cursor to the next bucket of level 0 in use, whose visits go to due_list_. On its
  /// way it empties those of higher levels. Returns false if there is none up to now.
  bool advance() {
    assert(first_bucket_ == in_use_.first().value_or(kBuckets));
    while (first_tick_ <= time_.now() && first_bucket_ != kBuckets) {
      cursor_ = first_tick_;
      List& list = buckets_[first_bucket_];
      const std::size_t level = first_bucket_ / kSlots;
      in_use_.clear(first_bucket_);
      if (level == 0) {
        due_list_ = std::exchange(list, {});
        fetch_first(due_list_);
      } else if (level <= kTopByBits) {
        cascade();
      } else {
        visit_all(list);
      }
      find_first();
      if (level == 0) return true;
    }
    cursor_ = time_.now();
    return false;
  }

  /// Before this tick there is nothing to visit. It is that of the first visit, or, where this is
  /// not known from the visits alone or they are many, the first of its bucket.
  Tick next_visit() const {
    const std::size_t level = first_bucket_ / kSlots;
    if (level == 0 || level > kTopByBits) return first_tick_;
    const List& list = buckets_[first_bucket_];
    if (list.chunks() != 1) return first_tick_;
    When least = kTickMask;
    list.for_first_chunk(
        [&](const Visit& visit) { least = std::min(least, visit.when & kTickMask); });
    return (first_tick_ & ~Tick{kTickMask}) | least;
  }

  /// Moves the visits of the first bucket to lower levels without a look at their cells, all of
  /// which are fetched if they fit in a cache.
  [[gnu::noinline]] void cascade() {
    cursor_ = std::min(next_visit(), time_.now());
    List& list = buckets_[first_bucket_];
    const Tick above = cursor_ & ~Tick{kTickMask};
    const bool fetch = has_many_cells() && list.chunks() <= kFewChunks;
    while (!list.empty()) {
      Reader chunk = lists_.pop_chunk(list);  // What moves gives no room back.
      moves_ += chunk.size();
      while (!chunk.empty()) {
        const Visit visit = lists_.pop(chunk);
        if (fetch) timers_.prefetch(visit.index);
        append(visit, above | (visit.when & kTickMask));
      }
    }
  }

  /// The same where the bits of a visit do not tell its tick: the cells are asked for deadlines.
  void visit_all(List& list) {
    fetch_first(list);
    while (!list.empty()) visit_chunk(list);
  }

  /// Returns how many visits the chunk had.
  std::size_t visit_chunk(List& list) {
    Reader chunk = take_chunk(list);
    const std::size_t size = chunk.size();
    moves_ += size;
    while (!chunk.empty()) settle(take(chunk));
    return size;
  }

  /// Takes out the first chunk, and has the cells fetched that the next one is about.
  Reader take_chunk(List& list) {
    const Reader chunk = lists_.pop_chunk(list);
    fetch_first(list);
    return chunk;
  }

  /// Takes out a visit. There is room for another then, and not before: it may be added again.
  Visit take(Reader& chunk) {
    ++room_;
    return lists_.pop(chunk);
  }

  void fetch_first(const List& list) const {
    if (!has_many_cells()) return;
    list.for_first_chunk([this](const Visit& visit) { timers_.prefetch(visit.index); });
  }

  /// Looks at so many visits, each time at the next ones: those in vain are dropped, the others go
  /// to where the deadlines of their timers are.
  void sweep(std::size_t count) {
    for (std::size_t looked_at = 0; looked_at < count;) {
      if (chunks_to_sweep_ == 0 || buckets_[swept_].empty()) {
        const std::optional<Bucket> first = in_use_.first();
        if (!first) break;
        swept_ = in_use_.first_from(swept_ + 1).value_or(*first);
        chunks_to_sweep_ = buckets_[swept_].chunks();
      }
      --chunks_to_sweep_;
      looked_at += visit_chunk(buckets_[swept_]);
      if (buckets_[swept_].empty()) in_use_.clear(swept_);
    }
    find_first();
  }

  void find_first() { set_first(in_use_.first().value_or(kBuckets)); }

  void set_first(Bucket bucket) {
    first_bucket_ = bucket;
    first_tick_ = bucket == kBuckets ? kEndOfTime : start_of(bucket);
  }

  // Between two calls each pending timer has its visit in a bucket, in due_ or in due_list_, and
  // due_ is empty or begins with a timer that is due. (Those set at the end of time never run.)
  VirtualTime time_;
  Tick cursor_ = 0;                 // now; or the deadline of the timer that is due first
  Bucket first_bucket_ = kBuckets;  // the first bucket in use, or none
  Tick first_tick_ = kEndOfTime;    // its first tick
  Reader due_;                      // visits at the cursor that are being read
  List due_list_;                   // and the rest of them
  std::size_t room_ = 0;            // how many more visits can be added
  std::size_t capacity_ = 0;        // how many visits chunks are reserved for
  Tick reserved_span_ = 0;          // and for deadlines that differ from the cursor in these bits
  std::uint64_t moves_ = 0;
  Bucket swept_ = 0;                 // the bucket that is swept now,
  std::size_t chunks_to_sweep_ = 0;  // and how many of its chunks still are: others are added
  OccupancyBits in_use_{kBuckets};
  std::array<List, kBuckets> buckets_{};
  Visits lists_;
  Timers timers_;
};

}  // namespace timers
