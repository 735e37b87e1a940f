#pragma once

/// Programs for the explorer, in which two threads contend for one timer.

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string>

#include "impls/services/parts/timer_state.hpp"
#include "impls/timer_service.hpp"
#include "tests/services/explorer/explorer.hpp"

namespace timers::programs {

using Moment = Explorer::Moment;

/// Whether both accesses took place, and in this order.
inline bool came_before(const std::optional<Moment>& one, const std::optional<Moment>& other) {
  return one && other && Explorer::is_before(*one, *other);
}

/// One thread runs a timer, up to three times. Another one prevents that. The task is not atomic,
/// and belongs to the thread that runs or cancels it.
template <class State>
struct Timer {
  State state;
  int runs = 0;
  Checked<int> written_by_task = 0;
  Checked<bool> is_over = false;
  std::optional<Moment> last_start;

  void run_once() {
    if (start()) end();
  }
  void run_thrice() {
    for (int i = 0; i < 3; ++i) {
      if (!start()) return;
      if (i < 2 && state.repeat()) continue;
      return end();
    }
  }
  bool start() {
    const bool starts = state.start();
    if (starts) {
      ++runs;
      last_start = Explorer::last_access();
      written_by_task = written_by_task + 1;
    }
    return starts;
  }
  void end() {
    is_over = true;
    state.finish();
  }
};

/// The results of three cancels, and the moment of the first one.
template <class State>
struct Canceller {
  std::array<CancelResult, 3> results{};
  std::optional<Moment> first_at;
  std::string complaint;

  void cancel(Timer<State>& timer) {
    for (std::size_t i = 0; i < results.size(); ++i) {
      results[i] = timer.state.cancel();
      if (i == 0) first_at = Explorer::last_access();
      if (results[i] == CancelResult::cancelled) timer.written_by_task = -1;
      if (results[i] == CancelResult::gone && results[0] != CancelResult::cancelled &&
          !timer.is_over) {
        complaint = "a timer is said to be gone before its end";
      }
    }
  }
  /// A timer may be cancelled once, or may run for a while. After that it is gone for ever.
  std::string fault() const {
    if (!std::is_sorted(results.begin(), results.end())) return "a timer that was gone came back";
    if (results[1] == CancelResult::cancelled) return "a timer was cancelled twice";
    return complaint;
  }
};

template <class State>
struct RunAgainstCancel {
  Timer<State> timer;
  Canceller<State> canceller;
  void first() { timer.run_once(); }
  void second() { canceller.cancel(timer); }
  std::string fault() const {
    const bool cancelled = canceller.results[0] == CancelResult::cancelled;
    if (timer.runs + (cancelled ? 1 : 0) != 1) return "a timer was not either run or cancelled";
    return canceller.fault();
  }
};

template <class State>
struct RunsAgainstCancel {
  Timer<State> timer;
  Canceller<State> canceller;
  void first() { timer.run_thrice(); }
  void second() { canceller.cancel(timer); }
  std::string fault() const {
    const bool gone = canceller.results[0] == CancelResult::gone;
    if (gone && timer.runs != 3) return "a timer that nobody cancelled did not run thrice";
    if (!gone && came_before(canceller.first_at, timer.last_start)) {
      return "a cancelled timer ran again";
    }
    return canceller.fault();
  }
};

template <class State>
struct RunsAgainstWithdraw {
  Timer<State> timer;
  int withdrawn = 0;
  std::optional<Moment> withdrawn_at;
  void first() { timer.run_thrice(); }
  void second() {
    for (int i = 0; i < 3; ++i) {
      if (!timer.state.cancel_if_pending()) continue;
      ++withdrawn;
      withdrawn_at = Explorer::last_access();
      timer.written_by_task = -1;
    }
  }
  std::string fault() const {
    if (withdrawn > 1) return "a timer was withdrawn twice";
    if (withdrawn == 0 && timer.runs != 3) return "a timer that nobody withdrew did not run thrice";
    return came_before(withdrawn_at, timer.last_start) ? "a withdrawn timer ran again" : "";
  }
};

/// Two threads of a pool run one timer: each run sees what the previous run wrote.
template <class State>
struct RunsOnTwoThreads {
  State state;
  Checked<int> runs = 0;
  std::array<int, 2> mine{};
  void first() { run_thrice(mine[0]); }
  void second() { run_thrice(mine[1]); }
  void run_thrice(int& done) {
    for (int i = 0; i < 3; ++i) {
      if (!state.start()) continue;
      ++done;
      runs = runs + 1;
      state.repeat();
    }
  }
  std::string fault() const { return mine[0] + mine[1] == runs ? "" : "a run is not seen"; }
};

template <class State>
struct CancelAgainstWithdraw {
  State state;
  Checked<bool> has_task = true;
  std::array<int, 2> wins{};
  void first() {
    for (int i = 0; i < 3; ++i) take_if(state.cancel() == CancelResult::cancelled, wins[0]);
  }
  void second() {
    for (int i = 0; i < 3; ++i) take_if(state.cancel_if_pending(), wins[1]);
  }
  void take_if(bool is_mine, int& won) {
    if (!is_mine) return;
    ++won;
    has_task = false;
  }
  std::string fault() const { return wins[0] + wins[1] == 1 ? "" : "a task had not one owner"; }
};

/// Two threads that schedule one timer.
template <class State>
struct ScheduleAgainstSchedule {
  State state{TimerState::fresh};
  Checked<int> period = 0;
  std::array<int, 2> wins{};
  void first() { schedule_thrice(wins[0]); }
  void second() { schedule_thrice(wins[1]); }
  void schedule_thrice(int& won) {
    for (int i = 0; i < 3; ++i) {
      if (!state.claim()) continue;
      period = 1;
      won += state.publish() ? 1 : 0;
    }
  }
  std::string fault() const {
    return wins[0] + wins[1] == 1 ? "" : "a timer was not scheduled by one";
  }
};

/// A thread that cancels a timer sees what the other thread wrote before it scheduled the timer.
template <class State>
struct ScheduleAgainstCancel {
  State state{TimerState::fresh};
  Checked<int> period = 0;
  bool scheduled = false;
  bool ran = false;
  bool is_known = true;
  TimerState found = TimerState::done;
  void first() {
    if (state.claim()) {
      period = 1;
      scheduled = state.publish();
    }
    if (scheduled) ran = state.start_last();
  }
  void second() {
    found = state.forbid_runs();
    if (found == TimerState::pending) is_known = period == 1;
  }
  std::string fault() const {
    const bool never_waited = found == TimerState::fresh || found == TimerState::claimed;
    if (never_waited && scheduled) return "a timer was cancelled, and then scheduled";
    if (!never_waited && !scheduled) return "a timer that waited was not scheduled";
    if (ran != (found == TimerState::last_run)) return "a timer was not either run or cancelled";
    return is_known ? "" : "a timer that waits is half made";
  }
};

}  // namespace timers::programs
