#pragma once

/// Whether a timer waits, runs, or is over.
///
///     fresh ──claim──> claimed ──publish──> pending ──start──> running ──finish──> done
///                                            │   ^              │   │
///                                            │   └────repeat────┘ cancel
///                                            │                      v
///                                            └──start_last──> last_run ──finish──> done
///
/// A service makes most timers when they are scheduled: these begin as `pending`. Only a timer that
/// its user makes first, and schedules later, begins as `fresh`. A cancel leads from each of the
/// first three states to `cancelled`, and from `running` to `last_run`.
///
/// An arrow between two of the states `fresh`, `claimed`, `pending` and `running` is one
/// compare-and-set. So is a cancel that leaves one of them. Several threads may want a timer at
/// once: its own thread, threads that cancel it, the thread that stops the service. Exactly one of
/// them gets it.

#include <atomic>
#include <cstdint>

#include "impls/timer_service.hpp"

namespace timers {

enum class TimerState : std::uint8_t {
  fresh,    ///< It was made, and is not scheduled yet.
  claimed,  ///< One caller is about to schedule it. No other can.
  pending,
  running,
  last_run,  ///< It runs, and there will be no other run.
  cancelled,
  done
};

/// What a cancel reports that found a timer in the state `found`.
constexpr CancelResult cancel_result_of(TimerState found) {
  switch (found) {
    case TimerState::pending:
      return CancelResult::cancelled;
    case TimerState::running:
    case TimerState::last_run:
      return CancelResult::running;
    case TimerState::fresh:
    case TimerState::claimed:
    case TimerState::cancelled:
    case TimerState::done:
      break;
  }
  return CancelResult::gone;
}

/// A state that any thread may change. `Atomic` is std::atomic except in tests that control the
/// order of accesses.
template <template <class> class Atomic = std::atomic>
class AtomicTimerState {
 public:
  AtomicTimerState() = default;
  explicit AtomicTimerState(TimerState initial) : state_(initial) {}

  TimerState load() const { return state_.load(std::memory_order_acquire); }

  /// From now on only the caller may schedule the timer. False if it was scheduled or cancelled.
  bool claim() { return change(TimerState::fresh, TimerState::claimed); }

  /// The timer waits for its first run. Only for the caller that claimed it. False if the timer was
  /// cancelled meanwhile.
  bool publish() { return change(TimerState::claimed, TimerState::pending); }

  /// A run begins. False if the timer was cancelled.
  bool start() { return change(TimerState::pending, TimerState::running); }

  /// The same, and there will be no other run.
  bool start_last() { return change(TimerState::pending, TimerState::last_run); }

  /// The last run is over. Only for the thread that started it.
  void finish() { state_.store(TimerState::done, std::memory_order_release); }

  /// A run is over, and another will follow. False if the timer was cancelled meanwhile.
  bool repeat() { return change(TimerState::running, TimerState::pending); }

  /// Cancels the timer: no run begins from now on. If this returns `cancelled`, the caller owns the
  /// task.
  CancelResult cancel() { return cancel_result_of(forbid_runs()); }

  /// The same, and returns the state in which the timer was found. If that is `fresh`, `claimed` or
  /// `pending`, the caller owns the task.
  TimerState forbid_runs() {
    for (;;) {
      const TimerState found = load();
      const TimerState left = without_runs(found);
      if (left == found || change(found, left)) return found;
    }
  }

  /// Cancels the timer only if it is pending.
  bool cancel_if_pending() { return change(TimerState::pending, TimerState::cancelled); }

 private:
  static constexpr TimerState without_runs(TimerState state) {
    switch (state) {
      case TimerState::fresh:
      case TimerState::claimed:
      case TimerState::pending:
        return TimerState::cancelled;
      case TimerState::running:
        return TimerState::last_run;
      case TimerState::last_run:
      case TimerState::cancelled:
      case TimerState::done:
        break;
    }
    return state;
  }

  bool change(TimerState from, TimerState to) {
    return state_.compare_exchange_strong(from, to, std::memory_order_acq_rel);
  }

  Atomic<TimerState> state_ = TimerState::pending;
};

}  // namespace timers
