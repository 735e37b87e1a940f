/// Two threads change the state of a timer. In all executions that the memory model allows, exactly
/// one of them wins. And if a state has a fault, the search finds it.

#include "impls/services/parts/timer_state.hpp"

#include <gtest/gtest.h>

#include "impls/timer_service.hpp"
#include "tests/services/explorer/expect_explored.hpp"
#include "tests/services/explorer/explorer.hpp"
#include "tests/services/explorer/programs/timer_state.hpp"

namespace timers {
namespace {

using namespace programs;  // NOLINT(google-build-using-namespace): the tests are about these

using RightState = AtomicTimerState<StepwiseAtomic>;

// C-01, C-02, C-04, C-19
TEST(StateInterleavings, HaveOneWinnerOfStartAndCancel) {
  expect_no_fault<RunAgainstCancel<RightState>>();
}
TEST(StateInterleavings, NeverLetACancelledTimerRunAgain) {
  expect_no_fault<RunsAgainstCancel<RightState>>();
}
TEST(StateInterleavings, NeverLetAWithdrawnTimerRunAgain) {
  expect_no_fault<RunsAgainstWithdraw<RightState>>();
}
// C-06
TEST(StateInterleavings, ShowEachRunWhatTheOneBeforeWrote) {
  expect_no_fault<RunsOnTwoThreads<RightState>>();
}
TEST(StateInterleavings, HaveOneWinnerOfCancelAndWithdraw) {
  expect_no_fault<CancelAgainstWithdraw<RightState>>();
}

TEST(StateInterleavings, LetOneOfTwoScheduleATimer) {
  expect_no_fault<ScheduleAgainstSchedule<RightState>>();
}
TEST(StateInterleavings, NeverScheduleACancelledTimer) {
  expect_no_fault<ScheduleAgainstCancel<RightState>>();
}

enum class StateFault { checks_then_sets, rearms_blindly, forgets_the_cancel };

/// A state with one fault.
template <StateFault kFault>
class FaultyState {
 public:
  bool start() { return change(TimerState::pending, TimerState::running); }
  void finish() { state_.store(TimerState::done); }
  bool repeat() {
    if (kFault != StateFault::rearms_blindly) {
      return change(TimerState::running, TimerState::pending);
    }
    state_.store(TimerState::pending);
    return true;
  }
  CancelResult cancel() {
    if (cancel_if_pending()) return CancelResult::cancelled;
    if (kFault != StateFault::forgets_the_cancel) change(TimerState::running, TimerState::last_run);
    const TimerState state = state_.load();
    return state == TimerState::running || state == TimerState::last_run ? CancelResult::running
                                                                         : CancelResult::gone;
  }
  bool cancel_if_pending() { return change(TimerState::pending, TimerState::cancelled); }

 private:
  bool change(TimerState from, TimerState to) {
    if (kFault != StateFault::checks_then_sets) return state_.compare_exchange_strong(from, to);
    if (state_.load() != from) return false;
    state_.store(to);
    return true;
  }

  StepwiseAtomic<TimerState> state_ = TimerState::pending;
};

TEST(StateInterleavings, HaveTwoWinnersWhenCheckAndSetAreApart) {
  using Faulty = FaultyState<StateFault::checks_then_sets>;
  expect_fault<RunAgainstCancel<Faulty>>();
  expect_fault<RunsAgainstWithdraw<Faulty>>();
  expect_fault<CancelAgainstWithdraw<Faulty>>();
}
TEST(StateInterleavings, LetACancelledTimerRunAgainWhenItIsRearmedBlindly) {
  expect_fault<RunsAgainstCancel<FaultyState<StateFault::rearms_blindly>>>();
}
TEST(StateInterleavings, LetACancelledTimerRunAgainWhenTheCancelIsForgotten) {
  expect_fault<RunsAgainstCancel<FaultyState<StateFault::forgets_the_cancel>>>();
}

}  // namespace
}  // namespace timers
