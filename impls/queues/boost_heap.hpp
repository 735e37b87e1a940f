#pragma once

/// Any mutable heap of Boost.Heap behind the contract of a timer queue.
///
/// Scheme 3 of Varghese & Lauck, with the heaps that the literature offers instead of the binary
/// one: more children per node, or trees that put work off. A recipe names the heap. Each heap
/// allocates a node for each timer and returns a handle to it, so a cancel finds the node at once.
///
///                   d-ary (4)     pairing               Fibonacci
///     insert        O(log n)      O(1)                  O(1)
///     cancel        O(log n)      O(log n) amortised    O(log n) amortised
///     re-arm        O(log n)      O(log n) amortised    O(log n) amortised
///     expire        O(log n)      O(log n) amortised    O(log n) amortised
///     next_expiry   O(1)          O(1)                  O(1)           all exact
///
/// Choose one if you use Boost anyway and need the bound of that heap. Their weakness is the node:
/// one allocation for each timer, and for each step a cache miss that waits for the one before.

#include <boost/heap/d_ary_heap.hpp>
#include <boost/heap/fibonacci_heap.hpp>
#include <boost/heap/pairing_heap.hpp>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

#include "impls/queues/parts/timer_slab.hpp"
#include "impls/timer_queue.hpp"

namespace timers {

/// The entry of a timer in the heap.
struct BoostHeapEntry {
  Tick deadline;
  std::uint64_t sequence;
  std::uint32_t index;

  /// Boost's heaps put the greatest entry first, so the earliest entry counts as the greatest.
  friend bool operator<(const BoostHeapEntry& one, const BoostHeapEntry& other) {
    return one.deadline != other.deadline ? one.deadline > other.deadline
                                          : one.sequence > other.sequence;
  }
};

struct DAryRecipe {
  static constexpr const char* name = "boost_d_ary_heap";
  /// A push that finds no memory may leave a node of Boost's, until the heap ends.
  using Heap =
      boost::heap::d_ary_heap<BoostHeapEntry, boost::heap::arity<4>, boost::heap::mutable_<true>>;
};

struct PairingRecipe {
  static constexpr const char* name = "boost_pairing_heap";
  using Heap = boost::heap::pairing_heap<BoostHeapEntry>;
};

struct FibonacciRecipe {
  static constexpr const char* name = "boost_fibonacci_heap";
  /// If Boost counts the size, a push that finds no memory makes the size and `empty` wrong.
  using Heap = boost::heap::fibonacci_heap<BoostHeapEntry, boost::heap::constant_time_size<false>>;
};

template <class TaskType, class Recipe>
class BoostHeap {
 public:
  using Task = TaskType;
  using Handle = TimerHandle;
  static constexpr const char* name = Recipe::name;

  BoostHeap() = default;
  BoostHeap(BoostHeap&&) noexcept = default;
  BoostHeap& operator=(BoostHeap&& other) noexcept {
    BoostHeap taken(std::move(other));
    std::swap(time_, taken.time_);
    std::swap(sequence_, taken.sequence_);
    heap_.swap(taken.heap_);
    std::swap(timers_, taken.timers_);
    return *this;
  }

  /// Empties the heap from the top. The destructor of Boost's Fibonacci heap recurses as deep as
  /// its trees are, and cuts can make a tree as deep as the number of timers.
  ~BoostHeap() {
    while (!heap_.empty()) heap_.pop();
  }

  Handle insert(Tick deadline, Task task) {
    timers_.reserve_one();
    const Position position = push(deadline, timers_.next());
    return timers_.handle(timers_.acquire(std::move(task), position));
  }

  bool cancel(Handle handle) {
    return timers_.if_alive(handle, [this](Index index) {
      if (const Position position = timers_.queue_data(index)) heap_.erase(*position);
      return timers_.release(index);
    });
  }

  bool rearm(Handle handle, Tick deadline) {
    return timers_.if_alive(handle, [&](Index index) {
      Position& position = timers_.queue_data(index);
      if (!position) return;
      if (time_.has_ended()) {
        heap_.erase(*position);
        position.reset();
      } else {
        heap_.update(*position, {time_.deadline_for(deadline), ++sequence_, index});
      }
    });
  }

  template <class OnExpiry>
  std::size_t expire(Tick now, OnExpiry&& on_expiry, std::size_t limit = kNoLimit) {
    if (!time_.move_to(now)) return 0;
    return time_.run(limit, [&] {
      if (heap_.empty() || heap_.top().deadline > time_.now()) return false;
      const BoostHeapEntry first = heap_.top();
      heap_.pop();
      on_expiry(first.deadline, timers_.release(first.index));
      return true;
    });
  }

  std::optional<Tick> next_expiry() const {
    if (!heap_.empty()) return heap_.top().deadline;
    return size() == 0 ? std::nullopt : std::optional(kEndOfTime);
  }

  std::size_t size() const { return timers_.size(); }

 private:
  using Heap = typename Recipe::Heap;
  using Position = std::optional<typename Heap::handle_type>;  // none if set at the end of time
  using Timers = TimerSlab<Task, Position>;
  using Index = typename Timers::Index;

  Position push(Tick deadline, Index index) {
    if (time_.has_ended()) return std::nullopt;
    return heap_.push({time_.deadline_for(deadline), ++sequence_, index});
  }

  VirtualTime time_;
  std::uint64_t sequence_ = 0;
  Heap heap_;
  Timers timers_;
};

}  // namespace timers
