#pragma once

/// A wheel that keeps no timers, but notes when to look at one again.
///
/// Timers stand in cells, and nothing links them. The wheel holds *visits*: eight bytes that say
/// which cell to look at, and at which tick. A pending timer has a visit at its deadline or before;
/// whatever else happens to it, happens in its cell alone:
///   - to cancel is to free the cell; the visit stays;
///   - to re-arm to a later deadline is to write the deadline; the visit stays;
///   - to insert is to take the cell that was freed last; if its last timer left a visit that is
///     early enough, that will do.
/// At a visit a timer that is due runs, one that was put off gets a visit at its new deadline, and
/// a free cell gets none. A timer that is put forward gets another visit, and the one that it had
/// is stale. So a time limit that is set and cancelled, as nearly all are, costs no more than its
/// cell, and one that is pushed back ten times before it ends is moved once.
///
/// The visits stand in wheels within wheels (hierarchical_wheel.hpp), in chunks of memory: they are
/// appended at the ends of lists, and a cascade streams them from list to list without a look at
/// any cell. Where a linked list waits for memory at each timer, nothing here depends on what is
/// being fetched, so that the processor fetches many cells at once. To put off lazily is old:
/// FreeBSD's TCP does so, and nginx for its keep-alive connections.
///
///     insert       O(1): the cell, and an append if it has no visit that is early enough
///     cancel       O(1): the cell
///     re-arm       O(1): the cell; to an earlier deadline, an append, too
///     expire       O(1) a visit, and O(1) of sequential memory for each of its cascades
///     next_expiry  O(1), early by a wake a level, also for each visit that is in vain
///
/// A call that changes what a limited `expire` left due looks for what is due then, as that
/// `expire` would have.
///
/// Choose it when there are many timers, and for nearly all others. Its weaknesses: equal deadlines
/// expire in any order; timers that were cancelled or put off cost a visit in vain; ever earlier
/// deadlines leave stale visits behind, which are swept when there are more visits than twice the
/// cells and some; and a full bucket of a high level makes one call long.

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "impls/chunk_lists.hpp"
#include "impls/occupancy_bits.hpp"
#include "impls/timer_queue.hpp"
#include "impls/timer_slab.hpp"

namespace timers {

/// `Bits` is the size of a level: it has 2^Bits buckets.
template <class TaskType, unsigned Bits = 8>
class LazyWheel {
  static_assert(Bits == 2 || Bits == 4 || Bits == 8, "a level has 2, 4 or 8 bits");

 public:
  using Task = TaskType;
  using Handle = TimerHandle;
  static inline const std::string name =
      Bits == 8 ? "lazy_wheel" : "lazy_wheel_" + std::to_string(Bits) + "bit";
  static constexpr bool fifo = false;
  static constexpr std::size_t max_garbage = 1;
  static constexpr Tick max_wakes(Tick delay) { return level_of(delay) + 2; }

  Handle insert(Tick deadline, Task task) {
    deadline = time_.deadline_for(deadline);
    timers_.reserve_one();
    reserve_visit(deadline);
    const Index index = timers_.acquire(std::move(task));
    set(index, deadline);
    return timers_.handle(index);
  }

  bool cancel(Handle handle) {
    const Index index = timers_.find(handle);
    if (index == Timers::kNone) return false;
    [[maybe_unused]] const Task dies_when_all_is_done = timers_.release(index);
    find_due();
    return true;
  }

  bool rearm(Handle handle, Tick deadline) {
    const Index index = timers_.find(handle);
    if (index == Timers::kNone) return false;
    deadline = time_.deadline_for(deadline);
    reserve_visit(deadline);
    set(index, deadline);
    find_due();
    return true;
  }

  template <class OnExpiry>
  std::size_t expire(Tick now, OnExpiry&& on_expiry, std::size_t limit = kNoLimit) {
    if (!time_.move_to(now)) return 0;
    if (due_.empty()) {
      if (next_ > now) {  // An empty tick ends here.
        cursor_ = now;
        return 0;
      }
      find_due_ahead();
    }
    return time_.run(limit, [&] {
      if (due_.empty()) return false;
      const Index index = pop(due_).index;
      const Tick deadline = cursor_;
      timers_.place(index).spend_visit();
      Task task = timers_.release(index);
      if (due_.empty() || !front_is_due()) find_due_ahead();
      on_expiry(deadline, std::move(task));
      return true;
    });
  }

  std::optional<Tick> next_expiry() const {
    if (size() == 0) return std::nullopt;
    return due_.empty() ? next_ : cursor_;
  }

  std::size_t size() const { return timers_.size(); }

  /// How often a visit has moved to another level, or was for nothing.
  std::uint64_t moves() const { return moves_; }

 private:
  /// The lower 24 bits of a visit's tick, and above them a tag, which tells it from most others of
  /// the cell at that tick. (Else whichever comes first settles the cell.) Where the rest of the
  /// tick matters, time tells it.
  using When = std::uint32_t;
  static constexpr unsigned kTickBits = 24;
  static constexpr When kTickMask = (When{1} << kTickBits) - 1;
  static constexpr When kOddTag = When{1} << kTickBits;

  struct Visit {
    When when;
    std::uint32_t index;
  };

  /// What a cell knows of its timer, the next one or the last: its deadline, and when it is
  /// visited.
  struct Place {
    std::array<std::uint32_t, 2> deadline_words{};  // a Tick would be aligned, and the cell larger
    When visit = 0;                                 // with an odd tag, or it is spent

    Tick deadline() const { return std::bit_cast<Tick>(deadline_words); }
    void set_deadline(Tick tick) { deadline_words = std::bit_cast<decltype(deadline_words)>(tick); }

    /// Whether there is a visit at this tick or before. It is taken for the latest one up to the
    /// deadline that has these bits: if it is earlier, another one is added in vain.
    bool is_visited_by(Tick tick) const {
      return (visit & kOddTag) != 0 && deadline() - ((deadline() - visit) & kTickMask) <= tick;
    }

    void spend_visit() { visit &= ~kOddTag; }

    When new_visit(Tick tick) {
      const When next_tag = (visit | kOddTag | kTickMask) + 1;
      visit = next_tag | kOddTag | (static_cast<When>(tick) & kTickMask);
      return visit;
    }
  };

  using Timers = TimerSlab<Task, Place>;
  using Index = typename Timers::Index;
  using Visits = ChunkLists<Visit>;
  using List = typename Visits::List;
  using Reader = typename Visits::Reader;

  static constexpr unsigned kLevels = 64 / Bits;
  static constexpr unsigned kTopByVisit =
      kTickBits / Bits;  // visits go down from here by their own bits
  static constexpr std::size_t kSlots = std::size_t{1} << Bits;

  static constexpr std::size_t kRoomAtOnce = 64;    // visits for which memory is reserved at once
  static constexpr std::size_t kSweptAtOnce = 256;  // visits that are looked at meanwhile
  static constexpr std::size_t kFewCells = 8192;    // 200 kB: they are in a cache anyway
  static constexpr std::size_t kFewChunks = 512;    // the cells of whose visits fit into a cache

  using Bucket = std::size_t;  // counted from the lowest level up, so in the order of their times
  static constexpr Bucket kBuckets = kLevels * kSlots;

  /// The level of the highest digit that is not 0.
  static constexpr unsigned level_of(Tick difference) {
    return static_cast<unsigned>(std::bit_width(difference | 1) - 1) / Bits;
  }

  Bucket bucket_for(Tick tick) const {
    const unsigned level = level_of(tick ^ cursor_);
    return level * kSlots + (tick >> (level * Bits)) % kSlots;
  }

  /// The first tick of a bucket's span.
  Tick start_of(Bucket bucket) const {
    const auto shift = static_cast<unsigned>(bucket / kSlots * Bits);
    const Tick above = shift + Bits < 64 ? ~Tick{0} << (shift + Bits) : 0;
    return (cursor_ & above) | Tick{bucket % kSlots} << shift;
  }

  bool has_many_cells() const { return timers_.cells() > kFewCells; }

  /// Makes sure that a visit can be added for this deadline, and moved until then.
  void reserve_visit(Tick deadline) {
    const Tick difference = deadline ^ cursor_;
    if (room_ == 0 || difference > most_different_) [[unlikely]]
      make_room(difference);
  }

  [[gnu::noinline]] void make_room(Tick difference) {
    if (visits() > 2 * timers_.cells() + kSweptAtOnce) sweep(kSweptAtOnce);
    const std::size_t room_for = visits() + kRoomAtOnce;
    const unsigned top_level = level_of(difference | most_different_);
    lists_.reserve(room_for, (top_level + 1) * kSlots);
    room_for_ = room_for;
    room_ = kRoomAtOnce;
    most_different_ = ~Tick{0} >> (64 - (top_level + 1) * Bits);
  }

  /// How many there are, also in chunks that are being read.
  std::size_t visits() const { return room_for_ - room_; }

  /// Gives a timer its deadline, and a visit if it has none that is early enough.
  void set(Index index, Tick deadline) {
    Place& place = timers_.place(index);
    if (time_.has_ended()) [[unlikely]] {
      place.spend_visit();
    } else if (!place.is_visited_by(deadline)) {
      add_visit(index, place, deadline);
    }
    place.set_deadline(deadline);
  }

  void add_visit(Index index, Place& place, Tick tick) {
    assert(room_ != 0);
    --room_;
    append({place.new_visit(tick), index}, tick);
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
      if (bucket < first_) set_first(bucket);
    }
    lists_.add_chunk(buckets_[bucket]);
  }

  /// If a timer was due before, a call may have changed that.
  void find_due() {
    if (!due_.empty() && !front_is_due()) [[unlikely]]
      find_due_ahead();
  }

  /// Looks at all that is to be visited up to now, until it comes to a timer that is due: after
  /// that, due_ begins with one, or none is due.
  [[gnu::noinline]] void find_due_ahead() {
    for (;;) {
      for (; !due_.empty(); ++moves_) {
        if (front_is_due()) return;
        visit(pop(due_));
      }
      if (!due_list_.empty()) {
        due_ = pop_chunk(due_list_);
      } else if (!advance()) {
        return;
      }
    }
  }

  bool front_is_due() const {
    const auto [when, index] = due_.front();
    const Place& place = timers_.place(index);
    return place.visit == when && place.deadline() == cursor_ && timers_.is_alive(index);
  }

  /// A timer that was put off gets a visit at its deadline, and a free cell none.
  void visit(Visit visit) {
    Place& place = timers_.place(visit.index);
    if (place.visit != visit.when) return;
    if (timers_.is_alive(visit.index)) {
      add_visit(visit.index, place, place.deadline());
    } else {
      place.spend_visit();
    }
  }

  /// Moves the cursor to the next bucket of level 0 in use, whose visits go to due_list_. On its
  /// way it empties those of higher levels. Returns false if there is none up to now.
  bool advance() {
    while (next_ <= time_.now() && first_ != kBuckets) {
      cursor_ = next_;
      List& list = buckets_[first_];
      const std::size_t level = first_ / kSlots;
      in_use_.clear(first_);
      if (level == 0) {
        due_list_ = std::exchange(list, {});
        fetch_first(due_list_);
      } else if (level <= kTopByVisit) {
        cascade(list);
      } else {
        visit_all(list);
      }
      find_first();
      if (level == 0) return true;
    }
    cursor_ = time_.now();
    return false;
  }

  /// Moves visits to lower levels, without a look at their cells. If there are few, their buckets
  /// come soon: then it is worth to have those cells fetched.
  [[gnu::noinline]] void cascade(List& list) {
    const Tick above = cursor_ & ~Tick{kTickMask};
    const bool come_soon = has_many_cells() && list.chunks() <= kFewChunks;
    while (!list.empty()) {
      Reader chunk = lists_.pop_chunk(list);
      moves_ += chunk.size();
      while (!chunk.empty()) {
        const Visit visit = lists_.pop(chunk);
        if (come_soon) timers_.prefetch(visit.index);
        append(visit, above | (visit.when & kTickMask));
      }
    }
  }

  /// Moves visits to where the deadlines of their timers are.
  void visit_all(List& list) {
    fetch_first(list);
    while (!list.empty()) visit_chunk(list);
  }

  /// Returns how many visits the chunk had.
  std::size_t visit_chunk(List& list) {
    Reader chunk = pop_chunk(list);
    const std::size_t visits = chunk.size();
    moves_ += visits;
    while (!chunk.empty()) visit(pop(chunk));
    return visits;
  }

  /// Takes out the first chunk, and has the cells fetched that the next one is about.
  Reader pop_chunk(List& list) {
    const Reader chunk = lists_.pop_chunk(list);
    fetch_first(list);
    return chunk;
  }

  /// Takes out a visit. There is room for another then, and not before: it may be added again.
  Visit pop(Reader& chunk) {
    ++room_;
    return lists_.pop(chunk);
  }

  void fetch_first(const List& list) const {
    if (!has_many_cells()) return;
    list.for_first_chunk([this](const Visit& visit) { timers_.prefetch(visit.index); });
  }

  /// Looks at so many visits, each time at the next ones: what is stale is dropped, and the others
  /// are added again.
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
    first_ = bucket;
    next_ = bucket == kBuckets ? kEndOfTime : start_of(bucket);
  }

  VirtualTime time_;
  Tick cursor_ = 0;  // visits up to here were looked at; now, but while a timer is due: then
                     // its deadline
  Bucket first_ = kBuckets;   // the first in use, if there is one,
  Tick next_ = kEndOfTime;    // and its first tick
  Reader due_;                // visits at the cursor, of which the first is due: those at hand,
  List due_list_;             // and the rest
  std::size_t room_ = 0;      // so many visits can be added
  std::size_t room_for_ = 0;  // chunks are reserved for so many, on all levels up to that of
  Tick most_different_ = 0;   // deadlines that differ so much from the cursor
  std::uint64_t moves_ = 0;
  Bucket swept_ = 0;
  std::size_t chunks_to_sweep_ = 0;
  OccupancyBits in_use_{kBuckets};
  std::array<List, kBuckets> buckets_{};
  Visits lists_;
  Timers timers_;
};

}  // namespace timers
