#pragma once

/// A heap for what is due soon, and no structure at all for the rest.
///
/// gRPC keeps its timers in this way (timer.cc). Most time limits are cancelled long before they
/// are due, so why sort them? A timer that is due within a *window* goes to the heap. Any other
/// goes to an unsorted list (the *rest*), where it costs next to nothing. When the window has
/// passed and something may be due, a *look* goes through the list, and moves timers of the next
/// window to the heap. The window is a part of the mean delay: a third in gRPC. Here it is an
/// eighth, because a look costs less: the list is the slab itself. A timer of the rest is linked to
/// no other. So to set, cancel or re-arm it touches only its own cell, and a look reads one cell
/// after the other, as fast as memory can be read.
///
/// gRPC bounds the window by 10 ms and 1 s. A tick has no unit, so here the bound comes from what a
/// look costs. If a look reads more than 8 cells for each timer that it moves or that was set since
/// the last look, the next window is at least twice as long. So a few short timers cannot cause one
/// look after the other through a million sleeping timers. There is no upper bound: a window that
/// is too long makes the heap larger, and does no other harm. gRPC spreads its timers over shards,
/// each under a lock; this is one shard.
///
///     insert       O(1) for the rest, O(log n) for what is due soon
///     cancel       as much as insert
///     re-arm       as much as insert
///     expire       O(log n) amortised a timer; O(n) for the call that looks through the rest
///     next_expiry  O(1); early by one wake, if the earliest of the rest was cancelled or put off
///
/// One in 2^32 inserts and re-arms sorts all timers.
///
/// It is here because people know it from gRPC: we found no load on which it is the best
/// (results/other_machine.md). It is made for time limits that are nearly always cancelled or put
/// off. Its weakness is the look through all that waits: a long call in each window. The look reads
/// as many cells as there were timers at most. And the heap has memory for all timers, because
/// `expire` must not allocate.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>

#include "impls/queues/parts/heap_entry.hpp"
#include "impls/queues/parts/staying_timers.hpp"
#include "impls/queues/parts/timer_slab.hpp"
#include "impls/queues/parts/wide_heap.hpp"
#include "impls/timer_queue.hpp"

namespace timers {

/// After `Numbers` insertions the pending timers get new numbers, which fit in 32 bits.
template <class TaskType, std::uint64_t Numbers = std::uint64_t{1} << 32>
class TwoTier : public StayingTimers<TwoTier<TaskType, Numbers>, TaskType> {
  friend StayingTimers<TwoTier, TaskType>;

 public:
  using Task = TaskType;
  using Handle = TimerHandle;
  static inline const std::string name = Numbers == std::uint64_t{1} << 32
                                             ? "two_tier"
                                             : "two_tier_" + std::to_string(Numbers) + "_numbers";

  /// `next_expiry` may name the deadline of a timer that has left the rest since the last look.
  static constexpr Tick max_wakes(Tick) { return 2; }

  Handle insert(Tick deadline, Task task) {
    timers_.reserve_one();
    heap_.reserve_for(size() + 1);
    const Index index = timers_.acquire(std::move(task), {});
    add(index, deadline);
    return timers_.handle(index);
  }

  bool cancel(Handle handle) {
    return timers_.if_alive(handle, [this](Index index) {
      leave(index);
      return timers_.release(index);
    });
  }

  bool rearm(Handle handle, Tick deadline) {
    return timers_.if_alive(handle, [&](Index index) { put_off(index, deadline); });
  }

  template <class OnExpiry>
  std::size_t expire(Tick now, OnExpiry&& on_expiry, std::size_t limit = kNoLimit) {
    if (!time_.move_to(now)) return 0;
    look_through_if_due();
    if (!is_due()) return 0;
    return time_.run(limit, [&] {
      if (!is_due()) return false;
      const HeapEntry first = heap_.front();
      leave(first.index());
      this->run(first.index(), first.deadline(), on_expiry);
      return true;
    });
  }

  std::optional<Tick> next_expiry() const {
    if (size() == 0) return std::nullopt;
    return heap_.empty() ? rest_from_ : heap_.front().deadline();
  }

  std::size_t size() const { return timers_.size(); }

 private:
  using Position = std::uint32_t;  // in the heap, or one of these:
  static constexpr Position kNowhere = std::numeric_limits<Position>::max();
  static constexpr Position kInRest = kNowhere - 1;

  struct TimerData {
    Tick deadline = 0;             // for a timer of the rest; the heap has those of its timers
    Position position = kNowhere;  // kNowhere also for a timer set at the end of time
    std::uint32_t number = 0;      // decides among equal deadlines; used in the rest, too
  };
  using Timers = TimerSlab<Task, TimerData>;
  using Index = typename Timers::Index;

  static constexpr Tick kWindowsADelay = 8;
  static constexpr Tick kDelaysInTheMean = 32;
  static constexpr std::size_t kCellsATimer = 8;  // how many cells per timer a look may read

  Timers& slab() { return timers_; }

  bool is_due() const { return !heap_.empty() && heap_.front().deadline() <= time_.now(); }

  bool arm_cell(Index index, Tick deadline) {
    if (timers_.is_pending(index)) {
      put_off(index, deadline);
      return true;
    }
    heap_.reserve_for(size() + 1);
    add(index, deadline);
    timers_.arm(index);
    return false;
  }

  void disarm_cell(Index index) {
    leave(index);
    timers_.disarm(index);
  }

  /// Gives a pending timer a new deadline.
  void put_off(Index index, Tick deadline) {
    leave(index);
    add(index, deadline);
  }

  /// Places a timer that is nowhere.
  void add(Index index, Tick deadline) {
    if (time_.has_ended()) return;
    deadline = time_.deadline_for(deadline);
    note(deadline - time_.now());
    if (numbers_ % Numbers == 0) [[unlikely]]
      number_anew();
    const std::uint32_t number = next_number();
    if (deadline <= soon_until_) {
      heap_.push({deadline, number, index}, note_position());
    } else {
      timers_.queue_data(index) = {deadline, kInRest, number};
      rest_from_ = std::min(rest_from_, deadline);
      ++rest_;
    }
  }

  /// Takes a timer out of the heap or the rest.
  void leave(Index index) {
    const Position position = std::exchange(timers_.queue_data(index).position, kNowhere);
    if (position == kInRest) {
      if (--rest_ == 0) rest_from_ = kEndOfTime;
    } else if (position != kNowhere) {
      heap_.remove(position, note_position());
      look_through_if_due();
    }
  }

  /// Learns from the delay of a timer that is set.
  void note(Tick delay) {
    mean_delay_ = mean_delay_ - mean_delay_ / kDelaysInTheMean + delay / kDelaysInTheMean;
    ++set_;
  }

  /// Makes sure that the heap is empty only if nothing is due.
  void look_through_if_due() {
    if (heap_.empty() && rest_from_ <= time_.now() && rest_ > 0) [[unlikely]]
      look_through();
  }

  /// Begins a window, now, and brings to the heap what is due in it.
  [[gnu::noinline]] void look_through() {
    const Tick window = std::max(least_window_, mean_delay_ / kWindowsADelay);
    soon_until_ = time_.now() + std::min(window, kEndOfTime - time_.now());
    take_from_rest(soon_until_);
    const bool is_paid = timers_.cells() <= kCellsATimer * (set_ + heap_.size());
    least_window_ = is_paid ? 0 : 2 * std::min(window, kEndOfTime / 4) + 1;
    set_ = 0;
  }

  /// Moves what is due up to a tick from the rest to the heap.
  void take_from_rest(Tick until) {
    rest_from_ = kEndOfTime;
    for (Index index = 0; index < timers_.cells(); ++index) {
      const TimerData& timer = timers_.queue_data(index);
      if (timer.position != kInRest) continue;
      if (timer.deadline <= until) {
        --rest_;
        heap_.push({timer.deadline, timer.number, index}, note_position());
      } else {
        rest_from_ = std::min(rest_from_, timer.deadline);
      }
    }
  }

  std::uint32_t next_number() { return static_cast<std::uint32_t>(numbers_++); }

  /// Gives all timers new numbers in the heap. Timers of the rest are the last ones, and go back.
  [[gnu::noinline]] void number_anew() {
    take_from_rest(kEndOfTime);
    numbers_ = 0;
    const auto number = [this](HeapEntry& entry) {
      entry = {entry.deadline(), next_number(), entry.index()};
    };
    heap_.sort(number, note_position());
    while (!heap_.empty() && heap_[heap_.size() - 1].deadline() > soon_until_) {
      const HeapEntry last = heap_.remove(heap_.size() - 1, note_position());
      timers_.queue_data(last.index()) = {last.deadline(), kInRest, last.number()};
      rest_from_ = last.deadline();
      ++rest_;
    }
  }

  auto note_position() {
    return [this](const HeapEntry& entry, std::size_t position) {
      timers_.queue_data(entry.index()).position = static_cast<Position>(position);
    };
  }

  VirtualTime time_;
  std::uint64_t numbers_ = 0;
  Tick soon_until_ = 0;          // timers that are due up to this tick are in the heap
  Tick rest_from_ = kEndOfTime;  // nothing of the rest is due before
  std::size_t rest_ = 0;         // how many timers are in the rest
  std::size_t set_ = 0;          // how many were set since the last look
  Tick mean_delay_ = 0;          // of the timers that were set last
  Tick least_window_ = 0;        // the least length of the next window
  WideHeap<HeapEntry> heap_;
  Timers timers_;
};

}  // namespace timers
