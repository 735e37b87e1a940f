#pragma once

/// A binary heap of deadlines that knows where each timer stands, and so can cancel it at once.
///
/// Scheme 3 of Varghese & Lauck (trees and heaps), in an array. libevent keeps its timers so, and
/// the JDK's ScheduledThreadPoolExecutor; libuv links its nodes. The heap holds deadline and number
/// of a timer side by side, so that only a move, not a comparison, touches the timer itself.
///
///     insert       O(log n), O(1) on average for deadlines in random order
///     cancel       O(log n)
///     re-arm       O(log n)
///     expire       O(log n) a timer
///     next_expiry  O(1), exact
///
/// Choose it for up to some ten thousand timers, or when a deadline must be exact at any
/// resolution. Its weakness is size: each level is a cache miss, and each move on the way writes to
/// another timer.

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>

#include "impls/position_heap.hpp"
#include "impls/timer_queue.hpp"
#include "impls/timer_slab.hpp"

namespace timers {

/// Equal deadlines expire in the order of their insertion: a sequence number decides.
struct FifoTies {
  static constexpr bool fifo = true;
  static constexpr const char* heap_name = "min_heap";

  FifoTies(Tick tick, std::uint64_t number) : deadline(tick), sequence(number) {}
  bool before(const FifoTies& other) const {
    // Without a branch: which of two children is earlier cannot be predicted.
    return (deadline < other.deadline) |
           ((deadline == other.deadline) & (sequence < other.sequence));
  }

  Tick deadline;
  std::uint64_t sequence;
};

/// Equal deadlines expire as the heap happens to have them: the first one first, the others roughly
/// in reverse. As long as nothing is cancelled, that is exactly the order of java.util.Timer.
struct HeapTies {
  static constexpr bool fifo = false;
  static constexpr const char* heap_name = "min_heap_jdk";

  HeapTies(Tick tick, std::uint64_t) : deadline(tick) {}
  bool before(const HeapTies& other) const { return deadline < other.deadline; }

  Tick deadline;
};

template <class TaskType, class Ties = FifoTies>
class MinHeap {
 public:
  using Task = TaskType;
  using Handle = TimerHandle;
  static constexpr const char* name = Ties::heap_name;
  static constexpr bool fifo = Ties::fifo;

  Handle insert(Tick deadline, Task task) {
    timers_.reserve_one();
    heap_.reserve_one();
    const Index index = timers_.acquire(std::move(task), kNowhere);
    if (!time_.has_ended()) heap_.push({key_for(deadline), index}, note_position());
    return timers_.handle(index);
  }

  bool cancel(Handle handle) {
    const Index index = timers_.find(handle);
    if (index == Timers::kNone) return false;
    if (timers_.place(index) != kNowhere) heap_.remove(timers_.place(index), note_position());
    [[maybe_unused]] const Task dies_when_all_is_done = timers_.release(index);
    return true;
  }

  bool rearm(Handle handle, Tick deadline) {
    const Index index = timers_.find(handle);
    if (index == Timers::kNone) return false;
    const Position position = timers_.place(index);
    if (position == kNowhere) return true;
    if (time_.has_ended()) {
      heap_.remove(position, note_position());
      timers_.place(index) = kNowhere;
    } else {
      heap_.replace(position, {key_for(deadline), index}, note_position());
    }
    return true;
  }

  template <class OnExpiry>
  std::size_t expire(Tick now, OnExpiry&& on_expiry, std::size_t limit = kNoLimit) {
    if (!time_.move_to(now)) return 0;
    return time_.run(limit, [&] {
      if (heap_.empty() || heap_.front().key.deadline > time_.now()) return false;
      const Entry first = heap_.remove(0, note_position());
      on_expiry(first.key.deadline, timers_.release(first.index));
      return true;
    });
  }

  std::optional<Tick> next_expiry() const {
    if (!heap_.empty()) return heap_.front().key.deadline;
    return size() == 0 ? std::nullopt : std::optional(kEndOfTime);
  }

  std::size_t size() const { return timers_.size(); }

 private:
  using Position = std::uint32_t;
  using Timers = TimerSlab<Task, Position>;
  using Index = typename Timers::Index;

  /// The position of a timer that was set at the end of time, and is not in the heap.
  static constexpr Position kNowhere = std::numeric_limits<Position>::max();

  struct Entry {
    Ties key;
    Index index;
    bool before(const Entry& other) const { return key.before(other.key); }
  };

  Ties key_for(Tick deadline) { return {time_.deadline_for(deadline), ++sequence_}; }

  auto note_position() {
    return [this](const Entry& entry, std::size_t position) {
      timers_.place(entry.index) = static_cast<Position>(position);
    };
  }

  VirtualTime time_;
  std::uint64_t sequence_ = 0;
  PositionHeap<Entry> heap_;
  Timers timers_;
};

}  // namespace timers
