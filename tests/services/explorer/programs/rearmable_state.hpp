#pragma once

/// Programs for the explorer, in which two or three threads use a timer that may be re-armed.

#include <cstddef>
#include <optional>
#include <string>

#include "impls/services/parts/rearmable_state.hpp"
#include "impls/timer_queue.hpp"
#include "impls/timer_service.hpp"
#include "tests/services/explorer/explorer.hpp"
#include "tests/services/explorer/programs/timer_state.hpp"

namespace timers::programs {

using StepwiseState = RearmableState<StepwiseAtomic>;

/// One thread starts a timer when its deadline has come. Another thread moves the deadline.
template <class State>
struct StartAgainstRearm {
  State state{5};
  Tick ran_at = 0;
  std::optional<Moment> started;
  Tick last = 5;
  std::optional<Moment> rearmed;

  StartAgainstRearm() { state.arrive(5); }
  void first() {
    for (const Tick now : {Tick{5}, Tick{7}, Tick{9}}) {
      if (state.start(now) != Start::runs) continue;
      ran_at = now;
      started = Explorer::last_access();
      return;
    }
  }
  void second() {
    for (const Tick deadline : {Tick{8}, Tick{6}, Tick{12}}) {
      if (!state.rearm(deadline).was_pending) continue;
      last = deadline;
      rearmed = Explorer::last_access();
    }
  }
  std::string fault() const {
    if (!started) return state.deadline() == last ? "" : "a deadline is lost";
    if (came_before(started, rearmed)) return "a timer was re-armed that ran";
    return ran_at < last ? "a timer ran before its deadline" : "";
  }
};

/// One thread files a timer. Meanwhile another one re-arms it to an earlier deadline.
struct FileAgainstRearm {
  mutable StepwiseState state{9};
  Tick filed = 0;
  int sent = 0;
  void first() {
    do {
      filed = state.deadline();
    } while (!state.arrive(filed));
  }
  void second() {
    for (const Tick deadline : {Tick{5}, Tick{7}, Tick{3}})
      sent += state.rearm(deadline).sends ? 1 : 0;
  }
  std::string fault() const {
    const bool is_on_its_way = !state.set_out();
    if (sent > 1) return "a timer was sent that was on its way";
    if (is_on_its_way != (sent == 1)) return "a timer is on its way that nobody sent";
    return sent == 0 && filed > 3 ? "a deadline that came nearer is lost" : "";
  }
};

/// One thread runs a timer. Another one cancels it. The task is not atomic.
struct FinishAgainstCancel {
  StepwiseState state{5};
  Checked<int> written_by_task = 0;
  int runs = 0;
  int cancels = 0;
  bool is_known = true;
  FinishAgainstCancel() { state.arrive(5); }
  void first() {
    if (state.start(5) != Start::runs) return;
    ++runs;
    written_by_task = 1;
    state.finish();
  }
  void second() {
    for (int i = 0; i < 3; ++i) {
      const CancelResult result = state.cancel();
      if (result == CancelResult::cancelled) ++cancels;
      if (result == CancelResult::cancelled) written_by_task = -1;
      if (result == CancelResult::gone && cancels == 0) is_known = written_by_task == 1;
    }
  }
  std::string fault() const {
    if (runs + cancels != 1) return "a timer was not either run or cancelled";
    return is_known ? "" : "what a task wrote is not seen when it is gone";
  }
};

/// One thread settles a timer whose turn has come. Another one puts it off.
struct SettleAgainstPutOff {
  StepwiseState state{5};
  bool settled = false;
  Tick last = 5;
  SettleAgainstPutOff() { state.arrive(5); }
  void first() {
    for (const Tick now : {Tick{4}, Tick{5}, Tick{7}}) settled = settled || state.settle(now);
  }
  void second() {
    for (const Tick deadline : {Tick{6}, Tick{8}, Tick{7}}) {
      if (state.put_off(deadline).was_pending) last = deadline;
    }
  }
  std::string fault() const {
    if (settled != (state.deadline() == 0)) return "a timer was not either settled or put off";
    return settled && last == 8 ? "a timer was settled before its deadline" : "";
  }
};

/// One thread runs a timer or finds it cancelled, and leaves it. Another one re-arms and cancels
/// the timer, and finds the service stopped. The share of the service is not atomic.
struct LeaveAgainstCancel {
  StepwiseState state{5};
  Checked<int> share = 1;
  int given_up = 0;
  int given_up_by_other = 0;
  LeaveAgainstCancel() { state.arrive(5); }
  void first() {
    share = share + 0;  // while the thread has the timer
    if (state.start(5) == Start::runs) state.finish();
    if (state.leave()) give_up(given_up);
  }
  void second() {
    if (state.rearm(3).sends && state.end_way()) give_up(given_up_by_other);
    if (state.recall().sends && state.end_way()) give_up(given_up_by_other);
  }
  void give_up(int& count) {
    ++count;
    share = share - 1;
  }
  std::string fault() const {
    return given_up + given_up_by_other == 1 && share == 0
               ? ""
               : "the share of the service was not given up once";
  }
};

/// The same, but the other thread accesses the shared value until the timer's way to the inbox
/// ends.
struct LeaveAgainstSender {
  StepwiseState state{5};
  Checked<int> link = 0;
  int given_up = 0;
  int given_up_by_other = 0;
  LeaveAgainstSender() { state.arrive(5); }
  void first() {
    if (state.start(5) == Start::runs) state.finish();
    if (!state.leave()) return;
    ++given_up;
    link = -1;
  }
  void second() {
    if (!state.rearm(3).sends) return;
    link = 1;
    if (!state.end_way()) return;
    ++given_up_by_other;
    link = -2;
  }
  std::string fault() const {
    return given_up + given_up_by_other == 1 ? "" : "the share was not given up once";
  }
};

/// Two threads re-arm one timer to an earlier deadline. Either the second one wakes the thread of
/// the service, which looks and goes back to sleep. Or the second one finds that the first one has
/// sent the timer.
template <bool kReadsAgain>
struct RearmAgainstRearmAndSleep {
  StepwiseState state{200};
  StepwiseAtomic<bool> is_sent = false;
  StepwiseAtomic<Tick> announced = 50;
  bool is_woken = false;
  bool is_found = false;

  RearmAgainstRearmAndSleep() { state.arrive(200); }
  void first() {
    if (!state.rearm(100).sends) return;
    is_sent = true;
    is_woken = (kReadsAgain ? state.latest_deadline() : Tick{100}) < announced.load();
  }
  void second() {
    if (state.rearm(10).sends) is_sent = true;
    announced = 50;
    is_found = is_sent;
  }
  std::string fault() const { return is_woken || is_found ? "" : "a deadline is slept through"; }
};

}  // namespace timers::programs
