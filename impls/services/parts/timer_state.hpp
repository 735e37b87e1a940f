#pragma once

/// Whether a timer waits, runs, or is done with.
///
///     pending ──start──> running ──finish──> done
///        │                │   ^
///        │                │   └─rearm: pending again, for another run
///      cancel           cancel
///        v                v
///    cancelled         last_run ──finish──> done
///
/// Every arrow that leaves `pending` is one compare-and-set. So of all that may want a timer, its
/// thread, those who cancel, the one who stops, exactly one gets it.

#include <atomic>
#include <cstdint>

#include "impls/timer_service.hpp"

namespace timers {

enum class TimerState : std::uint8_t {
  pending,
  running,
  last_run,  ///< Running, and cancelled meanwhile: there will be no other run.
  cancelled,
  done
};

/// A state that any thread may change. `Atomic` is another than std::atomic only in tests that
/// order its accesses.
template <template <class> class Atomic = std::atomic>
class AtomicTimerState {
 public:
  TimerState load() const { return state_.load(std::memory_order_acquire); }

  /// A run begins. False if the timer was cancelled.
  bool start() { return change(TimerState::pending, TimerState::running); }

  /// The last run is over. Only for the one who started it.
  void finish() { state_.store(TimerState::done, std::memory_order_release); }

  /// A run is over, and another is to follow. False if the timer was cancelled meanwhile.
  bool rearm() { return change(TimerState::running, TimerState::pending); }

  /// The timer is not to run. To whom this says `cancelled`, the task belongs.
  CancelResult cancel() {
    for (;;) {
      switch (load()) {
        case TimerState::pending:
          if (change(TimerState::pending, TimerState::cancelled)) return CancelResult::cancelled;
          break;
        case TimerState::running:
          if (change(TimerState::running, TimerState::last_run)) return CancelResult::running;
          break;
        case TimerState::last_run:
          return CancelResult::running;
        case TimerState::cancelled:
        case TimerState::done:
          return CancelResult::gone;
      }
    }
  }

  /// The same for one who comes too late when the timer runs: it only takes what is pending.
  bool withdraw() { return change(TimerState::pending, TimerState::cancelled); }

 private:
  bool change(TimerState from, TimerState to) {
    return state_.compare_exchange_strong(from, to, std::memory_order_acq_rel);
  }

  Atomic<TimerState> state_ = TimerState::pending;
};

}  // namespace timers
