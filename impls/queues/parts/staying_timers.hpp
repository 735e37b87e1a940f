#pragma once

/// Timers that stay: the part that is the same for all queues whose timers stand in a slab.
///
/// A timer that stays keeps its cell for life. The queue arms and disarms it. The rest is here: its
/// owner, and its run. The task stays in the cell while it runs. So a timer that is dropped
/// meanwhile ends only when its callback has returned.
///
/// An owner must find its queue, and queues move. So the slab has a *home*: an object of its own
/// that says where the queue is now. It is made with the first timer that stays. The home lives as
/// long as the queue or any owner, so that an owner learns when its timer is gone.
///
///     make              O(1); allocates as an insert does
///     arm, disarm       as much as re-arm and cancel; they neither allocate nor move the task
///     drop              as much as cancel

#include <cassert>
#include <concepts>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <utility>

#include "impls/queues/parts/timer_slab.hpp"
#include "impls/timer_queue.hpp"

namespace timers {

template <class Queue, class Task>
class StayingTimers;

/// Owns a timer that stays, and drops it at its end. Or owns no timer.
template <class Queue>
class StayingTimer {
 public:
  StayingTimer() = default;
  StayingTimer(StayingTimer&& other) noexcept
      : home_(std::exchange(other.home_, nullptr)), index_(other.index_) {}
  StayingTimer& operator=(StayingTimer&& other) noexcept {
    StayingTimer taken(std::move(other));
    std::swap(home_, taken.home_);
    std::swap(index_, taken.index_);
    return *this;
  }
  ~StayingTimer() {
    if (home_ == nullptr) return;
    if (home_->queue != nullptr) static_cast<Queue*>(home_->queue)->drop(index_);
    home_->leave();
  }

  /// Whether it owns a timer.
  explicit operator bool() const { return home_ != nullptr && home_->queue != nullptr; }

 private:
  template <class, class>
  friend class StayingTimers;

  StayingTimer(TimerHome& home, std::uint32_t index) : home_(&home), index_(index) { home.enter(); }

  TimerHome* home_ = nullptr;
  std::uint32_t index_ = 0;
};

/// The base class of `Queue`, which has
///   - `slab()`: where its timers are,
///   - `arm_cell(index, deadline)`: arms a timer of the slab; returns whether it was pending,
///   - `disarm_cell(index)`: takes a pending timer of the slab out of its structure, and lets it
///     rest.
template <class Queue, class Task>
class StayingTimers {
 public:
  using Timer = StayingTimer<Queue>;

  Timer make(Task task) {
    TimerHome& home = self().slab().home(&self());
    self().slab().reserve_one();
    return {home, self().slab().make(std::move(task))};
  }

  bool arm(const Timer& timer, Tick deadline) { return self().arm_cell(cell_of(timer), deadline); }

  Task& task(const Timer& timer) { return self().slab().task(cell_of(timer)); }

  bool disarm(const Timer& timer) {
    const std::uint32_t index = cell_of(timer);
    if (!self().slab().is_pending(index)) return false;
    self().disarm_cell(index);
    return true;
  }

 protected:
  StayingTimers() = default;
  /// The queue moves its slab after this.
  StayingTimers(StayingTimers&& other) noexcept { other.self().slab().moves_to(&self()); }
  StayingTimers& operator=(StayingTimers&& other) noexcept {
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
      slab.disarm(index);
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

  std::uint32_t cell_of(const Timer& timer) {
    assert(timer.home_ != nullptr && timer.home_->queue == &self());
    return timer.index_;
  }

  void drop(std::uint32_t index) {
    if (self().slab().is_pending(index)) self().disarm_cell(index);
    if (index == running_) {
      dropped_ = true;
    } else {
      self().slab().drop(index);
    }
  }

  void end_run() {
    const std::uint32_t ran = std::exchange(running_, kNone);
    if (std::exchange(dropped_, false)) self().slab().drop(ran);
  }

  std::uint32_t running_ = kNone;  // the timer that stays and runs now
  bool dropped_ = false;           // whether that timer was dropped
};

}  // namespace timers
