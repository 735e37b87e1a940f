#pragma once

/// What a timer queue holds, stored in the simplest way that is fast. The model shares no code with
/// the queues under test.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "impls/timer_queue.hpp"

namespace timers::conformance {

/// Names a timer of a model, for as long as the model lives.
using TimerId = std::uint32_t;

/// The pending timers of a queue, and its time.
class Model {
 public:
  /// `max_lateness` is the queue's promise.
  explicit Model(Tick (*max_lateness)(Tick delay)) : max_lateness_(max_lateness) {}

  /// Makes a timer. It is not pending yet.
  TimerId add();

  /// Sets a timer, or sets it anew. A deadline that is not after now becomes the next tick.
  void set(TimerId id, Tick deadline);
  void remove(TimerId id);
  void move_to(Tick now) { now_ = now; }
  /// Goes back to the initial state, without timers.
  void clear();

  Tick now() const { return now_; }
  bool has_ended() const { return now_ == kEndOfTime; }
  std::size_t size() const { return size_; }

  bool is_pending(TimerId id) const { return timers_[id].position != kNotPending; }
  /// Whether the timer is pending and can still expire: it was set before the end of time.
  bool can_expire(TimerId id) const { return timers_[id].position < kNever; }
  Tick deadline(TimerId id) const { return timers_[id].deadline; }
  /// Grows with each `set`. Of equal deadlines, the one with the smaller number comes first.
  std::uint64_t sequence(TimerId id) const { return timers_[id].sequence; }

  /// The timer that must expire first, and `due`, the last tick at which it may. If the queue is
  /// never late, `due` is the deadline.
  struct First {
    Tick due;
    std::uint64_t sequence;
    TimerId id;
  };
  std::optional<First> first() const {
    return heap_.empty() ? std::nullopt : std::optional(heap_.front());
  }

 private:
  static constexpr std::uint32_t kNotPending = ~std::uint32_t{0};
  static constexpr std::uint32_t kNever = kNotPending - 1;  // pending, but set at the end of time
  static constexpr std::size_t kArity = 4;

  struct Timer {
    Tick deadline = 0;
    std::uint64_t sequence = 0;
    std::uint32_t position = kNotPending;  // its index in the heap
  };

  static bool before(const First& one, const First& other) {
    return one.due != other.due ? one.due < other.due : one.sequence < other.sequence;
  }
  void put(std::size_t position, const First& entry);
  void sift(std::size_t hole, const First& entry);

  Tick (*max_lateness_)(Tick delay);
  Tick now_ = 0;
  std::uint64_t sequence_ = 0;
  std::size_t size_ = 0;
  std::vector<Timer> timers_;
  std::vector<First> heap_;
};

/// Judges whether equal deadlines expire in the order in which they were set, for queues that do
/// not sort by deadline. For that it remembers the last expiry of each deadline.
class TieJudge {
 public:
  /// Whether this expiry comes after all others of its deadline in the order of setting.
  bool in_order(Tick deadline, std::uint64_t sequence);
  void forget() {
    ++round_;
    used_ = 0;
  }

 private:
  struct Slot {
    Tick deadline = 0;
    std::uint64_t sequence = 0;
    std::uint64_t round = 0;  // if it is not the current round, the slot is free
  };
  Slot& slot(Tick deadline);
  void grow();

  std::uint64_t round_ = 1;
  std::size_t used_ = 0;
  std::vector<Slot> slots_ = std::vector<Slot>(64);
};

}  // namespace timers::conformance
