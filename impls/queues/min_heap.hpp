#pragma once

/// A heap of deadlines that knows where each timer stands, and so can cancel it at once.
///
/// Scheme 3 of Varghese & Lauck (trees and heaps), in an array. libevent, Asio and the JDK's
/// ScheduledThreadPoolExecutor keep their timers in this way; libuv links its nodes. Their heaps
/// are binary. This one has four children a node, as libev's can have. The heap holds a timer's
/// deadline and number side by side: a move touches the timer itself, a comparison does not.
///
///     insert       O(log n), O(1) on average for deadlines in random order
///     cancel       O(log n)
///     re-arm       O(log n)
///     expire       O(log n) a timer
///     next_expiry  O(1), exact
///
/// One in 2^32 inserts and re-arms sorts the heap.
///
/// Choose it for up to some ten thousand timers, or when a deadline must be exact at any
/// resolution. Its weakness is size: each level is a cache miss, and each move on the way writes to
/// another timer.

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>

#include "impls/parts/position_heap.hpp"
#include "impls/queues/parts/timer_slab.hpp"
#include "impls/queues/parts/wide_heap.hpp"
#include "impls/timer_queue.hpp"

namespace timers {

/// Equal deadlines expire in the order of their insertion: the number of the insertion decides.
struct FifoTies {
  static constexpr bool fifo = true;
  static constexpr const char* heap_name = "min_heap";

  /// After so many insertions those that are pending are numbered anew, in 32 bits.
  static constexpr std::uint64_t kNumbers = std::uint64_t{1} << 32;

  class Entry {
   public:
    Entry(Tick when, std::uint32_t number, std::uint32_t index)
        : deadline(when), number_and_index_(std::uint64_t{number} << 32 | index) {}
    std::uint32_t index() const { return static_cast<std::uint32_t>(number_and_index_); }

    /// Without a branch: which of two is earlier cannot be predicted.
    bool before(const Entry& other) const { return as_one() < other.as_one(); }

    Tick deadline;

   private:
    __extension__ using Wide = unsigned __int128;
    Wide as_one() const { return Wide{deadline} << 64 | number_and_index_; }

    std::uint64_t number_and_index_;
  };
  using Heap = WideHeap<Entry>;
};

/// Equal deadlines expire as the heap happens to have them: the first one first, the others roughly
/// in reverse. As long as nothing is cancelled, that is exactly the order of java.util.Timer, whose
/// heap is binary.
struct HeapTies {
  static constexpr bool fifo = false;
  static constexpr const char* heap_name = "min_heap_jdk";

  class Entry {
   public:
    Entry(Tick when, std::uint32_t, std::uint32_t index) : deadline(when), index_(index) {}
    std::uint32_t index() const { return index_; }
    bool before(const Entry& other) const { return deadline < other.deadline; }

    Tick deadline;

   private:
    std::uint32_t index_;
  };
  using Heap = PositionHeap<Entry>;
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
    if (!time_.has_ended()) heap_.push(entry_for(deadline, index), note_position());
    return timers_.handle(index);
  }

  bool cancel(Handle handle) {
    return timers_.if_alive(handle, [this](Index index) {
      if (position_of(index) != kNowhere) heap_.remove(position_of(index), note_position());
      return timers_.release(index);
    });
  }

  bool rearm(Handle handle, Tick deadline) {
    return timers_.if_alive(handle, [&](Index index) {
      if (position_of(index) == kNowhere) return;
      if (time_.has_ended()) {
        heap_.remove(position_of(index), note_position());
        position_of(index) = kNowhere;
      } else {
        const Entry entry = entry_for(deadline, index);
        heap_.replace(position_of(index), entry, note_position());
      }
    });
  }

  template <class OnExpiry>
  std::size_t expire(Tick now, OnExpiry&& on_expiry, std::size_t limit = kNoLimit) {
    if (!time_.move_to(now)) return 0;
    return time_.run(limit, [&] {
      if (heap_.empty() || heap_.front().deadline > time_.now()) return false;
      const Entry first = heap_.remove(0, note_position());
      on_expiry(first.deadline, timers_.release(first.index()));
      return true;
    });
  }

  std::optional<Tick> next_expiry() const {
    if (!heap_.empty()) return heap_.front().deadline;
    return size() == 0 ? std::nullopt : std::optional(kEndOfTime);
  }

  std::size_t size() const { return timers_.size(); }

 private:
  using Position = std::uint32_t;
  using Timers = TimerSlab<Task, Position>;
  using Index = typename Timers::Index;

  /// The position of a timer that was set at the end of time, and is not in the heap.
  static constexpr Position kNowhere = std::numeric_limits<Position>::max();

  using Entry = typename Ties::Entry;

  Position& position_of(Index index) { return timers_.queue_data(index); }

  Entry entry_for(Tick deadline, Index index) {
    if constexpr (Ties::fifo) {
      if (sequence_ % Ties::kNumbers == 0) [[unlikely]]
        number_anew();
    }
    return {time_.deadline_for(deadline), next_number(), index};
  }

  std::uint32_t next_number() { return static_cast<std::uint32_t>(sequence_++); }

  [[gnu::noinline]] void number_anew() {
    sequence_ = 0;
    const auto number = [this](Entry& entry) {
      entry = {entry.deadline, next_number(), entry.index()};
    };
    heap_.sort(number, note_position());
  }

  auto note_position() {
    return [this](const Entry& entry, std::size_t position) {
      position_of(entry.index()) = static_cast<Position>(position);
    };
  }

  VirtualTime time_;
  std::uint64_t sequence_ = 0;
  typename Ties::Heap heap_;
  Timers timers_;
};

}  // namespace timers
