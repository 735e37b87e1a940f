#pragma once

/// Timers that stay: the part that is the same for all queues whose timers stand in a slab.
///
/// A timer that stays keeps its cell for life. The queue arms and disarms it. Its owner and its run
/// are here. The task stays in the cell while it runs. So a timer that is dropped
/// meanwhile ends only when its callback has returned.
///
/// The owner keeps the number of the cell. A queue may let it keep more (`Kept`): then to arm or
/// disarm a timer touches the owner, which the program has at hand, and not the cell. Such a queue
/// is told where its owners are.
///
/// An owner must find its queue, and queues move. So the slab has a *home*: an object of its own
/// that says where the queue is now. It is made with the first timer that stays. The home lives as
/// long as the queue or any owner, so that an owner learns when its timer is gone.
///
///     make              O(1); allocates as an insert does
///     arm, disarm       as much as re-arm and cancel; the task does not move
///     drop              as much as cancel

#include <cassert>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <stdexcept>
#include <type_traits>
#include <utility>

#include "impls/queues/parts/timer_slab.hpp"
#include "impls/timer_queue.hpp"

namespace timers {

template <class Queue, class Task>
class StayingTimers;

/// What an owner keeps for this queue: the number of the cell, or a struct that has it as `index`.
template <class Queue>
struct KeptByOwner {
  using Type = std::uint32_t;
  static constexpr std::size_t kAlignment = alignof(void*);  // of the owner
};

/// Owns a timer that stays, and drops it at its end. Or owns no timer.
template <class Queue>
class alignas(KeptByOwner<Queue>::kAlignment) StayingTimer {
  using Kept = typename KeptByOwner<Queue>::Type;

 public:
  StayingTimer() = default;
  StayingTimer(StayingTimer&& other) noexcept
      : home_(std::exchange(other.home_, nullptr)), kept_(other.kept_) {
    tell();
  }
  StayingTimer& operator=(StayingTimer&& other) noexcept {
    StayingTimer taken(std::move(other));
    std::swap(home_, taken.home_);
    std::swap(kept_, taken.kept_);
    tell();
    taken.tell();
    return *this;
  }
  ~StayingTimer() {
    if (home_ == nullptr) return;
    TimerHome& home = *home_;  // the memory of this owner may be gone with the task that dies
    if (Queue* const queue = its_queue()) queue->drop(kept_);
    home.leave();
  }

  /// Whether it owns a timer.
  explicit operator bool() const { return home_ != nullptr && home_->queue != nullptr; }

 private:
  template <class, class>
  friend class StayingTimers;

  StayingTimer(TimerHome& home, const Kept& kept) : home_(&home), kept_(kept) {
    home.enter();
    tell();
  }

  Queue* its_queue() const { return static_cast<Queue*>(home_->queue); }

  /// Tells the queue where the owner is.
  void tell() {
    if constexpr (!std::is_integral_v<Kept>) {
      if (*this) its_queue()->owner_is(kept_);
    }
  }

  TimerHome* home_ = nullptr;
  mutable Kept kept_{};  // the queue's, and no part of the owner's value
};

/// The base class of `Queue`, which has
///   - `slab()`: where its timers are,
///   - `arm_cell(index, deadline)`: arms a timer of the slab; returns whether it was pending,
///   - `disarm_cell(index)`: takes a pending timer of the slab out of its structure, and lets it
///     rest.
/// If owners keep more than the number of the cell, `arm_cell` and `disarm_cell` get what the owner
/// keeps. Then the queue also has `owner_is`, `kept_for`, `waits`, `rest` and `drop_cell`.
template <class Queue, class Task>
class StayingTimers {
  using Kept = typename KeptByOwner<Queue>::Type;

 public:
  using Timer = StayingTimer<Queue>;

  Timer make(Task task) {
    TimerHome& home = self().slab().home(&self());
    self().slab().reserve_one();
    return {home, self().kept_for(self().slab().make(std::move(task)))};
  }

  bool arm(const Timer& timer, Tick deadline) { return self().arm_cell(kept_by(timer), deadline); }

  Task& task(const Timer& timer) { return self().slab().task(index_of(kept_by(timer))); }

  bool disarm(const Timer& timer) { return disarm_if_pending(kept_by(timer)); }

 protected:
  StayingTimers() = default;
  /// The queue moves its slab after this.
  StayingTimers(StayingTimers&& other) noexcept { other.self().slab().moves_to(&self()); }
  /// The old tasks die first: they may own timers of `other`, which is still there now.
  StayingTimers& operator=(StayingTimers&& other) noexcept {
    self().slab().end_all();
    other.self().slab().moves_to(&self());
    return *this;
  }
  ~StayingTimers() = default;

  /// Runs a timer that is due and out of the queue's structure, whether it stays or not. Calls
  /// `before()` before the callback. The timer is no longer pending then.
  template <class OnExpiry, class Before = void (*)()>
  void run(
      std::uint32_t index, Tick deadline, OnExpiry& on_expiry, Before before = [] {}) {
    auto& slab = self().slab();
    if (slab.stays(index)) {
      self().rest(index);
      before();
      run_staying(deadline, index, on_expiry);
    } else {
      Task task = slab.release(index);
      before();
      if constexpr (std::invocable<OnExpiry&, Tick, Task>) {
        on_expiry(deadline, std::move(task));
      } else {
        on_expiry(deadline, task);
      }
    }
  }

 private:
  friend StayingTimer<Queue>;

  // If owners keep more, the queue has these members of its own.
  static std::uint32_t kept_for(std::uint32_t new_cell) { return new_cell; }
  bool waits(std::uint32_t index) { return self().slab().is_pending(index); }
  void rest(std::uint32_t index) { self().slab().disarm(index); }  // It is about to run.
  void drop_cell(std::uint32_t index) { self().slab().drop(index); }

  static std::uint32_t index_of(const Kept& kept) {
    if constexpr (std::is_integral_v<Kept>) {
      return kept;
    } else {
      return kept.index;
    }
  }

  template <class OnExpiry>
  void run_staying(Tick deadline, std::uint32_t index, OnExpiry& on_expiry) {
    if constexpr (std::invocable<OnExpiry&, Tick, Task&>) {
      running_ = index;
      const struct EndOfRun {
        StayingTimers& timers;
        ~EndOfRun() { timers.end_run(); }
      } end_of_run{*this};
      on_expiry(deadline, self().slab().task(index));
    } else {
      throw std::logic_error("a timer that stays is due, and the callback cannot take Task&");
    }
  }

  static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

  Queue& self() { return static_cast<Queue&>(*this); }

  Kept& kept_by(const Timer& timer) {
    assert(timer.home_ != nullptr && timer.home_->queue == &self());
    return timer.kept_;
  }

  bool disarm_if_pending(Kept& kept) {
    if (!self().waits(kept)) return false;
    self().disarm_cell(kept);
    return true;
  }

  void drop(Kept& kept) {
    disarm_if_pending(kept);
    if (index_of(kept) == running_) {
      dropped_ = kept;
      if constexpr (!std::is_integral_v<Kept>) self().owner_is(*dropped_);
    } else {
      self().drop_cell(kept);
    }
  }

  void end_run() {
    running_ = kNone;
    if (auto dropped = std::exchange(dropped_, std::nullopt)) self().drop_cell(*dropped);
  }

  std::uint32_t running_ = kNone;  // the timer that stays and runs now
  std::optional<Kept> dropped_;    // what its owner kept, if that timer was dropped
};

}  // namespace timers
