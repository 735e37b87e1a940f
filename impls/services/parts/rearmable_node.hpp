#pragma once

/// A timer of a service that runs once and may be re-armed.

#include <utility>

#include "impls/services/parts/rearmable_state.hpp"
#include "impls/services/parts/timer_node.hpp"
#include "impls/timer_queue.hpp"
#include "impls/timer_task.hpp"

namespace timers {

/// The base class of `Derived`, like TimerNode. RearmableState says what the verbs do.
template <class Derived, class Small = Nothing>
class RearmableNode : public TimerNode<Derived, RearmableState<>, Small> {
  using Base = TimerNode<Derived, RearmableState<>, Small>;
  using Base::state_;

 public:
  RearmableNode(TimerTask&& task, Tick deadline) noexcept : Base(std::move(task), deadline) {}

  Tick deadline() const { return state_.deadline(); }
  Tick latest_deadline() { return state_.latest_deadline(); }
  bool is_pending() const { return state_.load() == TimerState::pending; }
  bool is_left() const { return state_.is_left(); }

  Rearmed rearm(Tick deadline) { return state_.rearm(deadline); }
  Rearmed put_off(Tick deadline) { return state_.put_off(deadline); }
  Start start(Tick now = kEndOfTime) { return state_.start(now); }
  bool settle(Tick now) { return state_.settle(now); }
  bool set_out() { return state_.set_out(); }
  bool arrive(Tick filed) { return state_.arrive(filed); }
  bool end_way() { return state_.end_way(); }
  bool leave() { return state_.leave(); }

  /// Like `cancel`, for services whose thread must see a timer that was cancelled.
  Recalled recall(TimerTask& task) {
    const Recalled recalled = state_.recall();
    if (recalled.result == CancelResult::cancelled) task = this->take_task();
    return recalled;
  }

 protected:
  ~RearmableNode() = default;
};

}  // namespace timers
