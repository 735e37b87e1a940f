#pragma once

/// A timer of a service: its task, its state, and how many owners it has.
///
/// The node is the only thing that `schedule` makes. It has two owners from the start: the service,
/// until the timer is over, and the handle that `schedule` returns. So a handle is good for ever.
/// It asks the node, and not the service.

#include <boost/smart_ptr/intrusive_ptr.hpp>
#include <cstdint>
#include <utility>

#include "impls/services/parts/pooled_node.hpp"
#include "impls/services/parts/timer_state.hpp"
#include "impls/timer_task.hpp"

namespace timers {

struct Nothing {};

/// The base class of `Derived`, which adds what the structure of the service needs. `Small` is what
/// the structure needs in two bytes. They fit before the state, and make the node no larger.
template <class Derived, class State = AtomicTimerState<>, class Small = Nothing>
class TimerNode : public PooledNode<Derived> {
 public:
  /// A share in a node.
  using Handle = boost::intrusive_ptr<Derived>;

  /// `initial` goes to the constructor of the state. The timer is pending.
  template <class... Initial>
  explicit TimerNode(TimerTask&& task, Initial... initial) noexcept
      : PooledNode<Derived>(/*owners=*/2), state_(initial...), task_(std::move(task)) {}

  /// One of the two shares that the node was born with. Each must be taken once.
  Handle adopt() { return Handle(static_cast<Derived*>(this), /*add_ref=*/false); }

  TimerState state() const { return state_.load(); }

  /// A run begins. False if the timer was cancelled.
  bool start() { return state_.start(); }

  /// Runs the task. Only after `start`, and by the same thread.
  void operator()() { task_(); }

  /// The last run is over: destroys the task. The caller must own a share in the node, because the
  /// task may own the only other share.
  void finish() {
    task_ = nullptr;
    state_.finish();
  }

  /// A run is over, and another is to follow. False if the timer was cancelled meanwhile.
  bool repeat() { return state_.repeat(); }

  /// Cancels the timer. If this returns `cancelled`, `task` is now the task that will not run. The
  /// caller destroys it last of all, and without a lock: its destructor may call the service, and
  /// may give up the last share in this node.
  CancelResult cancel(TimerTask& task) {
    const CancelResult result = state_.cancel();
    if (result == CancelResult::cancelled) task = std::move(task_);
    return result;
  }

  /// The same, but the task stays. On `cancelled` the caller has to `finish` the timer.
  CancelResult revoke() { return state_.cancel(); }

  /// Takes the task of a pending timer, and so cancels the timer. Otherwise returns no task.
  TimerTask withdraw() { return cancel_if_pending() ? take_task() : TimerTask(); }

  /// The same in two steps. If the timer is pending, this cancels it and returns true. Then the
  /// caller owns the task, and takes it.
  bool cancel_if_pending() { return state_.cancel_if_pending(); }
  TimerTask take_task() { return std::move(task_); }

 protected:
  ~TimerNode() = default;

  /// Keeps an address in the room of a task that was taken, for the thread that took it.
  void keep(std::uintptr_t address) { task_.keep(address); }
  std::uintptr_t kept() const { return task_.kept(); }

  [[no_unique_address]] Small small_;
  State state_;

 private:
  TimerTask task_;
};

}  // namespace timers
