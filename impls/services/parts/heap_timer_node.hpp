#pragma once

/// What a HeapTimerTask and the heap of its timer share: the callable, and its state.
///
/// It outlives both. The user makes it before any timer knows it, so its state begins as `fresh`;
/// see TimerState. It has no lock: the timer holds its lock while it schedules or starts a node.
/// It takes 64 bytes, which are one line of the cache.

#include <atomic>
#include <boost/smart_ptr/intrusive_ptr.hpp>
#include <boost/smart_ptr/intrusive_ref_counter.hpp>
#include <optional>
#include <utility>

#include "impls/clocks/instant.hpp"
#include "impls/services/parts/pooled_node.hpp"
#include "impls/services/parts/repetition.hpp"
#include "impls/services/parts/timer_state.hpp"
#include "impls/timer_task.hpp"

namespace timers {

class HeapTimerNode : public PooledNode<HeapTimerNode> {
 public:
  /// Counts the timers of a service that wait. Each of them has a share in the room, and so has the
  /// service. So the count is right also when a user cancels a task without the service.
  struct Room : boost::intrusive_ref_counter<Room> {};
  using RoomPtr = boost::intrusive_ptr<Room>;

  using Ptr = boost::intrusive_ptr<HeapTimerNode>;

  explicit HeapTimerNode(TimerTask&& task) noexcept
      : PooledNode(/*owners=*/1), task_(std::move(task)) {}

  static Ptr of(TimerTask&& task) { return {make(std::move(task)), /*add_ref=*/false}; }

  /// The timer waits. False if it was scheduled or cancelled before.
  bool schedule(Instant deadline, const std::optional<Repetition>& repetition,
                const RoomPtr& room) {
    if (!state_.claim()) return false;
    execution_time_.store(deadline, std::memory_order_relaxed);
    if (repetition) {
      period_ = repetition->period;
      counts_from_ = repetition->from;
    }
    room_ = room;  // before other threads can see that the timer waits
    if (state_.publish()) return true;
    room_.reset();
    return false;
  }

  /// Whether the timer waits, or will wait again after this run.
  bool will_run() const {
    const TimerState state = state_.load();
    return state == TimerState::pending || state == TimerState::running;
  }

  std::optional<Repetition> repetition() const {
    if (!repeats()) return std::nullopt;
    return Repetition{period_, counts_from_};
  }

  /// A run begins. False if the timer was cancelled.
  bool start(Instant deadline, Instant now) {
    if (!(repeats() ? state_.start() : state_.start_last())) return false;
    room_.reset();
    const bool counts_from_start = counts_from_ == CountsFrom::start;
    execution_time_.store(counts_from_start ? now : deadline, std::memory_order_relaxed);
    return true;
  }

  /// Runs the task. Only after `start`, and on the same thread.
  void operator()() { task_(); }

  /// The run is over. If it was the last one, this destroys the task.
  void end_run(const RoomPtr& room) {
    if (repeats() && waits_again(room)) return;
    task_ = nullptr;
    state_.finish();
  }

  /// Cancels the timer, and returns the state in which it was. If the task does not run now, this
  /// destroys it.
  TimerState cancel() {
    const TimerState found = state_.forbid_runs();
    if (found > TimerState::pending) return found;
    if (found == TimerState::pending) room_.reset();
    // The task dies last: it may hold the last share in this node.
    const TimerTask dies_here = std::move(task_);
    return found;
  }

  /// Takes the task of a timer that waits, and so cancels the timer. Otherwise returns no task.
  TimerTask withdraw() {
    if (!state_.cancel_if_pending()) return nullptr;
    room_.reset();
    return std::move(task_);
  }

  Instant execution_time() const { return execution_time_.load(std::memory_order_relaxed); }

 private:
  bool repeats() const { return period_ > Duration::zero(); }

  /// False if the timer was cancelled during the run.
  bool waits_again(const RoomPtr& room) {
    room_ = room;
    if (state_.repeat()) return true;
    room_.reset();
    return false;
  }

  AtomicTimerState<> state_{TimerState::fresh};
  CountsFrom counts_from_ = CountsFrom::plan;  // no other if it runs once
  TimerTask task_;
  std::atomic<Instant> execution_time_ = Instant{};
  Duration period_ = Duration::zero();  // zero if it runs once
  RoomPtr room_;  // used by the thread that makes the timer wait, then by the one that ends this
};

}  // namespace timers
