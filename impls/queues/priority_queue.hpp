#pragma once

/// A plain priority queue. The entry of a cancelled timer stays in it, dead, until it comes to the
/// front or there are too many.
///
/// Scheme 3 of Varghese & Lauck (trees and heaps) with lazy deletion, as one builds it on
/// std::priority_queue. java.util.Timer and asyncio cancel in this way, and Go since 1.14. Nobody
/// needs to know where in the heap a timer stands. So a move writes to the heap alone, and a cancel
/// is one look at the timer. When more than half of the heap is dead, it is swept.
///
///     insert       O(log n), O(1) on average for deadlines in random order
///     cancel       O(1) amortised; O(n) for the one that makes the sweep due. When the first
///                  entry dies, the dead ones at the front are popped
///     re-arm       a cancel and an insert
///     expire       O(log n) amortised a timer, dead ones included
///     next_expiry  O(1), exact
///
/// Choose it over a heap that knows positions when nearly all timers expire, or nearly all are
/// cancelled soon. It has two weaknesses: the sweep, and the memory of the dead, of which there are
/// at most as many as of the living.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "impls/queues/parts/timer_slab.hpp"
#include "impls/timer_queue.hpp"

namespace timers {

template <class TaskType>
class PriorityQueue {
 public:
  using Task = TaskType;
  using Handle = TimerHandle;
  static constexpr const char* name = "priority_queue";
  static constexpr std::size_t max_garbage = 1;

  Handle insert(Tick deadline, Task task) {
    timers_.reserve_one();
    const Sequence sequence = push(deadline, timers_.next());
    return timers_.handle(timers_.acquire(std::move(task), sequence));
  }

  bool cancel(Handle handle) {
    return timers_.if_alive(handle, [this](Index index) {
      const Sequence sequence = std::exchange(timers_.queue_data(index), kDead);
      Task task = timers_.release(index);
      if (sequence != kDead) bury_one();
      return task;
    });
  }

  bool rearm(Handle handle, Tick deadline) {
    return timers_.if_alive(handle, [&](Index index) {
      if (timers_.queue_data(index) == kDead) return;
      timers_.queue_data(index) = push(deadline, index);
      bury_one();
    });
  }

  template <class OnExpiry>
  std::size_t expire(Tick now, OnExpiry&& on_expiry, std::size_t limit = kNoLimit) {
    if (!time_.move_to(now)) return 0;
    return time_.run(limit, [&] {
      if (heap_.empty() || heap_.front().deadline > time_.now()) return false;
      const Entry first = heap_.front();
      pop();
      keep_promises();
      on_expiry(first.deadline, timers_.release(first.index));
      return true;
    });
  }

  std::optional<Tick> next_expiry() const {
    if (!heap_.empty()) return heap_.front().deadline;
    return size() == 0 ? std::nullopt : std::optional(kEndOfTime);
  }

  std::size_t size() const { return timers_.size(); }

 private:
  using Sequence = std::uint64_t;
  using Timers = TimerSlab<Task, Sequence>;  // with the sequence number of a timer's entry
  using Index = typename Timers::Index;

  /// The number of a timer without an entry: it is gone, or was set at the end of time.
  static constexpr Sequence kDead = 0;

  struct Entry {
    Tick deadline;
    Sequence sequence;
    Index index;

    /// Without a branch: which of two is earlier cannot be predicted.
    bool before(const Entry& other) const { return as_one() < other.as_one(); }
    __extension__ using Wide = unsigned __int128;
    Wide as_one() const { return Wide{deadline} << 64 | sequence; }
  };

  struct Later {
    bool operator()(const Entry& one, const Entry& other) const { return other.before(one); }
  };

  bool is_dead(const Entry& entry) const {
    return timers_.queue_data(entry.index) != entry.sequence;
  }

  /// Returns the sequence number of the new entry.
  Sequence push(Tick deadline, Index index) {
    if (time_.has_ended()) return kDead;
    heap_.push_back({time_.deadline_for(deadline), ++sequence_, index});
    std::push_heap(heap_.begin(), heap_.end(), Later{});
    return sequence_;
  }

  void pop() {
    std::pop_heap(heap_.begin(), heap_.end(), Later{});
    heap_.pop_back();
  }

  /// Accounts for an entry that has just died.
  void bury_one() {
    ++dead_;
    keep_promises();
  }

  /// Sweeps when the dead outnumber the living, and keeps the first entry alive, so that it tells
  /// the next expiry.
  void keep_promises() {
    if (dead_ > heap_.size() / 2) {
      std::erase_if(heap_, [this](const Entry& entry) { return is_dead(entry); });
      std::make_heap(heap_.begin(), heap_.end(), Later{});
      dead_ = 0;
    }
    while (!heap_.empty() && is_dead(heap_.front())) {
      pop();
      --dead_;
    }
  }

  VirtualTime time_;
  Sequence sequence_ = kDead;
  std::size_t dead_ = 0;
  std::vector<Entry> heap_;
  Timers timers_;
};

}  // namespace timers
