#pragma once

/// java.util.TimerTask: a task that a HeapTimer runs, and that cancels itself.

#include <boost/smart_ptr/intrusive_ptr.hpp>
#include <utility>

#include "impls/clocks/instant.hpp"
#include "impls/services/parts/heap_timer_node.hpp"
#include "impls/services/parts/timer_state.hpp"
#include "impls/timer_task.hpp"

namespace timers {

/// A task that can be scheduled once, on a HeapTimer of any clock. Copies are the same task. It
/// stays good for ever, also when the timer is gone, and any thread may use it.
class HeapTimerTask {
 public:
  using NodePtr = HeapTimerNode::Ptr;

  /// An empty task: it converts to false, and every timer refuses it.
  HeapTimerTask() = default;

  /// A task that does what `task` does. If `task` is empty, so is this one.
  explicit HeapTimerTask(TimerTask task)
      : node_(task ? HeapTimerNode::of(std::move(task)) : nullptr) {}

  /// Whether there is a task.
  explicit operator bool() const { return node_ != nullptr; }

  friend bool operator==(const HeapTimerTask&, const HeapTimerTask&) = default;

  /// No run begins from now on. Returns whether one would have begun. False if the task runs and
  /// does not repeat, if it ran or was cancelled before, or if it was never scheduled. Then it can
  /// no longer be scheduled. Destroys the callable, unless it runs now. O(1).
  bool cancel() {
    if (!node_) return false;
    const TimerState found = node_->cancel();
    return found == TimerState::pending || found == TimerState::running;
  }

  /// The instant for which the latest run was planned; with a fixed delay, the instant at which it
  /// began. So a task can find out how late it is. Before the first run: the instant for which the
  /// first run is planned. Before the task is scheduled: the epoch.
  Instant scheduled_execution_time() const { return node_ ? node_->execution_time() : Instant{}; }

  /// For a HeapTimer: what it shares with this task. nullptr if there is no task.
  const NodePtr& node() const { return node_; }

 private:
  NodePtr node_;
};

}  // namespace timers
