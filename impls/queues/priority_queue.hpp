#pragma once

/// A plain priority queue. The entry of a cancelled timer stays in it, dead, until it comes to the
/// front or there are too many.
///
/// Scheme 3 of Varghese & Lauck (trees and heaps) with lazy deletion, as one builds it on
/// std::priority_queue. java.util.Timer and asyncio cancel in this way, and Go since 1.14. Nobody
/// needs to know where in the heap a timer stands. So a move writes only to the heap, and a cancel
/// looks only at the timer. When more than half of the heap is dead, it is swept. The number of an
/// insertion decides among equal deadlines. An entry whose number is not that of its timer is dead.
///
///     insert       O(log n), O(1) on average for deadlines in random order
///     cancel       O(1) amortised; O(n) for the one call that makes a sweep due. When the first
///                  entry dies, all dead entries at the front are popped
///     re-arm       a cancel and an insert
///     expire       O(log n) amortised a timer, dead ones included
///     next_expiry  O(1), exact
///
/// One in 2^32 inserts and re-arms sorts the heap.
///
/// Prefer it to a heap that knows positions when nearly all timers expire, or nearly all are
/// cancelled soon. It has two weaknesses: the sweep, and the memory of dead entries. Between two
/// calls there are at most as many of these as of living ones.

#include <cstddef>
#include <cstdint>
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
class PriorityQueue : public StayingTimers<PriorityQueue<TaskType, Numbers>, TaskType> {
  friend StayingTimers<PriorityQueue, TaskType>;

 public:
  using Task = TaskType;
  using Handle = TimerHandle;
  static inline const std::string name =
      Numbers == std::uint64_t{1} << 32 ? "priority_queue"
                                        : "priority_queue_" + std::to_string(Numbers) + "_numbers";
  /// There may be one more dead entry than living ones before a sweep. If the array has no room for
  /// that one, it doubles.
  static constexpr std::size_t max_garbage = 2;

  Handle insert(Tick deadline, Task task) {
    timers_.reserve_one();
    const Number number = push(deadline, timers_.next());
    return timers_.handle(timers_.acquire(std::move(task), number));
  }

  bool cancel(Handle handle) {
    return timers_.if_alive(handle, [this](Index index) {
      const Number number = std::exchange(timers_.queue_data(index), kDead);
      Task task = timers_.release(index);
      if (number != kDead) bury_one();
      return task;
    });
  }

  bool rearm(Handle handle, Tick deadline) {
    return timers_.if_alive(handle, [&](Index index) { put_off(index, deadline); });
  }

  template <class OnExpiry>
  std::size_t expire(Tick now, OnExpiry&& on_expiry, std::size_t limit = kNoLimit) {
    if (!time_.move_to(now) || !is_due()) return 0;
    return time_.run(limit, [&] {
      if (!is_due()) return false;
      const HeapEntry first = heap_.front();
      pop();
      keep_promises();
      this->run(first.index(), first.deadline(), on_expiry);
      return true;
    });
  }

  std::optional<Tick> next_expiry() const {
    if (!heap_.empty()) return heap_.front().deadline();
    return size() == 0 ? std::nullopt : std::optional(kEndOfTime);
  }

  std::size_t size() const { return timers_.size(); }

 private:
  using Number = std::uint32_t;
  using Timers = TimerSlab<Task, Number>;  // with the number of a timer's entry
  using Index = typename Timers::Index;

  /// The number of a timer without an entry: it is gone, or was set at the end of time.
  static constexpr Number kDead = 0;

  Timers& slab() { return timers_; }

  bool arm_cell(Index index, Tick deadline) {
    if (timers_.is_pending(index)) {
      put_off(index, deadline);
      return true;
    }
    timers_.queue_data(index) = push(deadline, index);
    timers_.arm(index);
    return false;
  }

  void disarm_cell(Index index) {
    const Number number = std::exchange(timers_.queue_data(index), kDead);
    timers_.disarm(index);
    if (number != kDead) bury_one();
  }

  /// Gives a pending timer a new deadline.
  void put_off(Index index, Tick deadline) {
    if (timers_.queue_data(index) == kDead) return;
    timers_.queue_data(index) = push(deadline, index);
    bury_one();
  }

  bool is_due() const { return !heap_.empty() && heap_.front().deadline() <= time_.now(); }

  bool is_dead(const HeapEntry& entry) const {
    return timers_.queue_data(entry.index()) != entry.number();
  }

  /// Returns the number of the new entry.
  Number push(Tick deadline, Index index) {
    if (time_.has_ended()) return kDead;
    if (insertions_ % Numbers == 0) [[unlikely]]
      number_anew();
    const Number number = next_number();
    heap_.push({time_.deadline_for(deadline), number, index}, kNowhere);
    return number;
  }

  [[gnu::noinline]] void pop() { heap_.remove(0, kNowhere); }

  Number next_number() { return static_cast<Number>(insertions_++); }

  [[gnu::noinline]] void number_anew() {
    sweep();
    insertions_ = kDead + 1;
    const auto number = [this](HeapEntry& entry) {
      Number& known = timers_.queue_data(entry.index());
      known = next_number();
      entry = {entry.deadline(), known, entry.index()};
    };
    heap_.sort(number, kNowhere);
  }

  /// Counts an entry that has just died.
  void bury_one() {
    ++dead_;
    keep_promises();
  }

  /// Sweeps when dead entries outnumber living ones, and pops dead entries from the front, so that
  /// the first entry tells the next expiry.
  void keep_promises() {
    if (dead_ > heap_.size() / 2) sweep();
    while (!heap_.empty() && is_dead(heap_.front())) {
      pop();
      --dead_;
    }
  }

  [[gnu::noinline]] void sweep() {
    heap_.remove_if([this](const HeapEntry& entry) { return is_dead(entry); }, kNowhere);
    dead_ = 0;
  }

  static constexpr auto kNowhere = [](const HeapEntry&, std::size_t) {};

  VirtualTime time_;
  std::uint64_t insertions_ = kDead + 1;
  std::size_t dead_ = 0;
  WideHeap<HeapEntry> heap_;
  Timers timers_;
};

}  // namespace timers
