#pragma once

/// A heap of deadlines that knows where each timer stands, and so can cancel it at once.
///
/// Scheme 3 of Varghese & Lauck (trees and heaps), in an array. libevent, Asio and the JDK's
/// ScheduledThreadPoolExecutor keep their timers in this way; libuv links its nodes. Their heaps
/// are binary. This one has four children per node, as libev's can have. An entry of the heap holds
/// deadline and number: so a comparison does not touch the timer, and only a move does.
///
/// Timers of one deadline that are set one after the other are a *run*. Only the first of a run is
/// in the heap; the others queue behind it. So FIFO costs nothing where it matters most: a timer in
/// a run comes and goes in O(1).
///
///     insert       O(log n), O(1) on average for deadlines in random order
///     cancel       O(log n)
///     re-arm       O(log n)
///     expire       O(log n) a timer
///     next_expiry  O(1), exact
///
/// One in 2^32 inserts and re-arms sorts the heap.
///
/// Choose it when the next deadline must be known exactly. Its weakness is many timers: each level
/// is a cache miss, and each move on the way writes to another timer.

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <type_traits>
#include <utility>

#include "impls/parts/position_heap.hpp"
#include "impls/queues/parts/heap_entry.hpp"
#include "impls/queues/parts/staying_timers.hpp"
#include "impls/queues/parts/timer_slab.hpp"
#include "impls/queues/parts/wide_heap.hpp"
#include "impls/timer_queue.hpp"

namespace timers {

/// Equal deadlines expire in the order of their insertion. Between runs the number of the insertion
/// decides, and within a run the order of the run.
struct FifoTies {
  static constexpr bool fifo = true;
  static constexpr const char* heap_name = "min_heap";

  /// After this many insertions the pending timers get new numbers, which fit in 32 bits.
  static constexpr std::uint64_t kNumbers = std::uint64_t{1} << 32;

  using Entry = HeapEntry;
  using Heap = WideHeap<Entry>;
};

/// Equal deadlines expire in the accidental order of the heap: first the first one, then the others
/// roughly in reverse. As long as nothing is cancelled, that is exactly the order of
/// java.util.Timer, whose heap is binary.
struct HeapTies {
  static constexpr bool fifo = false;
  static constexpr const char* heap_name = "min_heap_jdk";

  class Entry {
   public:
    Entry(Tick deadline, std::uint32_t, std::uint32_t index) : deadline_(deadline), index_(index) {}
    Tick deadline() const { return deadline_; }
    std::uint32_t index() const { return index_; }
    bool before(const Entry& other) const { return deadline_ < other.deadline_; }

   private:
    Tick deadline_;
    std::uint32_t index_;
  };
  using Heap = PositionHeap<Entry>;
};

template <class TaskType, class Ties = FifoTies>
class MinHeap : public StayingTimers<MinHeap<TaskType, Ties>, TaskType> {
  friend StayingTimers<MinHeap, TaskType>;

 public:
  using Task = TaskType;
  using Handle = TimerHandle;
  static constexpr const char* name = Ties::heap_name;
  static constexpr bool fifo = Ties::fifo;

  Handle insert(Tick deadline, Task task) {
    timers_.reserve_one();
    heap_.reserve_one();
    const Index index = timers_.acquire(std::move(task), {});
    if (!time_.has_ended()) add(index, time_.deadline_for(deadline));
    return timers_.handle(index);
  }

  bool cancel(Handle handle) {
    return timers_.if_alive(handle, [this](Index index) {
      if (position_of(index) != kNowhere) remove(index, position_of(index));
      return timers_.release(index);
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
      const Entry first = heap_.front();
      remove(first.index(), 0);
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
  using Position = std::uint32_t;

  /// The position of a timer that was set at the end of time, and is not in the heap.
  static constexpr Position kNowhere = std::numeric_limits<Position>::max();
  /// The position of all timers of a run except the first one.
  static constexpr Position kBehind = kNowhere - 1;

  struct Alone {
    Position position = kNowhere;
  };
  /// The data of a timer, if timers may be in runs.
  struct InRun {
    Position position = kNowhere;
    std::uint32_t next = kNone;  // the timer behind it
    std::uint32_t previous = kNone;
  };
  using Timers = TimerSlab<Task, std::conditional_t<Ties::fifo, InRun, Alone>>;
  using Index = typename Timers::Index;
  static constexpr Index kNone = std::numeric_limits<Index>::max();

  using Entry = typename Ties::Entry;

  bool is_due() const { return !heap_.empty() && heap_.front().deadline() <= time_.now(); }

  Position& position_of(Index index) { return timers_.queue_data(index).position; }

  Timers& slab() { return timers_; }

  bool arm_cell(Index index, Tick deadline) {
    if (timers_.is_pending(index)) {
      put_off(index, deadline);
      return true;
    }
    heap_.reserve_one();
    timers_.queue_data(index) = {};
    if (!time_.has_ended()) add(index, time_.deadline_for(deadline));
    timers_.arm(index);
    return false;
  }

  void disarm_cell(Index index) {
    if (position_of(index) != kNowhere) remove(index, position_of(index));
    timers_.disarm(index);
  }

  /// Gives a pending timer a new deadline.
  void put_off(Index index, Tick deadline) {
    if (position_of(index) == kNowhere) return;
    if (time_.has_ended()) {
      remove(index, position_of(index));
      position_of(index) = kNowhere;
    } else {
      move(index, time_.deadline_for(deadline));
    }
  }

  /// Places a timer that is nowhere, and has room in the heap.
  void add(Index index, Tick deadline) {
    if constexpr (Ties::fifo) {
      if (continues_run(deadline)) return append_to_run(index);
      begin_run(index, deadline);
    }
    heap_.push(entry_for(deadline, index), note_position());
  }

  /// Takes a timer out of the heap, in which its run is at this position.
  void remove(Index index, Position position) {
    if constexpr (Ties::fifo) {
      if (leave_run(index)) return;
    }
    heap_.remove(position, note_position());
  }

  /// Gives a timer of the heap a new deadline.
  void move(Index index, Tick deadline) {
    if constexpr (Ties::fifo) {
      if (position_of(index) == kBehind || timers_.queue_data(index).next != kNone ||
          continues_run(deadline)) {
        heap_.reserve_one();
        remove(index, position_of(index));
        timers_.queue_data(index) = {};
        return add(index, deadline);
      }
      begin_run(index, deadline);
    }
    const Entry entry = entry_for(deadline, index);  // may move all entries
    heap_.replace(position_of(index), entry, note_position());
  }

  /// Whether a timer of this deadline that is set now belongs to the run of the last one.
  bool continues_run(Tick deadline) const {
    return deadline == run_deadline_ && run_last_ != kNone;
  }

  void begin_run(Index first, Tick deadline) {
    run_deadline_ = deadline;
    run_last_ = first;
  }

  void append_to_run(Index index) {
    timers_.queue_data(run_last_).next = index;
    timers_.queue_data(index) = {kBehind, kNone, run_last_};
    run_last_ = index;
  }

  /// Takes a timer out of its run. Returns false if it is alone there. Then its entry has to go.
  bool leave_run(Index index) {
    InRun& run = timers_.queue_data(index);
    if (index == run_last_) run_last_ = run.previous;
    if (run.position == kBehind) {
      timers_.queue_data(run.previous).next = run.next;
      if (run.next != kNone) timers_.queue_data(run.next).previous = run.previous;
      return true;
    }
    if (run.next == kNone) return false;
    timers_.queue_data(run.next).previous = kNone;
    const Entry& entry = heap_[run.position];
    heap_.substitute(run.position, {entry.deadline(), entry.number(), run.next}, note_position());
    return true;
  }

  Entry entry_for(Tick deadline, Index index) {
    if constexpr (Ties::fifo) {
      if (sequence_ % Ties::kNumbers == 0) [[unlikely]]
        number_anew();
    }
    return {deadline, next_number(), index};
  }

  std::uint32_t next_number() { return static_cast<std::uint32_t>(sequence_++); }

  [[gnu::noinline]] void number_anew() {
    sequence_ = 0;
    const auto number = [this](Entry& entry) {
      entry = {entry.deadline(), next_number(), entry.index()};
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
  Tick run_deadline_ = 0;   // the deadline of the timer that was set last
  Index run_last_ = kNone;  // that timer, or the one before it in its run if that timer is gone
  Timers timers_;
};

}  // namespace timers
