/// Two threads change the state of a timer that may be re-armed. In all executions that the memory
/// model allows, exactly one of them wins, and no deadline is lost. And if a state has a fault, the
/// search finds it.

#include "impls/services/parts/rearmable_state.hpp"

#include <gtest/gtest.h>

#include "impls/services/parts/timer_state.hpp"
#include "impls/timer_queue.hpp"
#include "tests/services/explorer/expect_explored.hpp"
#include "tests/services/explorer/explorer.hpp"
#include "tests/services/explorer/programs/rearmable_state.hpp"

namespace timers {
namespace {

using namespace programs;  // NOLINT(google-build-using-namespace): the tests are about these

TEST(RearmInterleavings, SleepThroughNoDeadlineThatAnotherThreadBroughtNearer) {
  expect_no_fault<RearmAgainstRearmAndSleep<true>>();
  expect_fault<RearmAgainstRearmAndSleep<false>>();
}

TEST(RearmInterleavings, NeverRunATimerBeforeTheDeadlineThatItWasGiven) {
  expect_no_fault<StartAgainstRearm<StepwiseState>>();
}
TEST(RearmInterleavings, LoseNoDeadlineThatComesNearer) { expect_no_fault<FileAgainstRearm>(); }
TEST(RearmInterleavings, GiveUpTheShareOfTheServiceOnce) {
  expect_no_fault<LeaveAgainstCancel>();
  expect_no_fault<LeaveAgainstSender>();
}
// C-01, C-04
TEST(RearmInterleavings, HaveOneWinnerOfStartAndCancel) { expect_no_fault<FinishAgainstCancel>(); }
TEST(RearmInterleavings, SettleATimerOrPutItOff) { expect_no_fault<SettleAgainstPutOff>(); }

/// A deadline and a state in two words.
class TwoWords {
 public:
  explicit TwoWords(Tick deadline) : deadline_(deadline) {}

  Tick deadline() const { return deadline_; }
  static void arrive(Tick) {}
  Start start(Tick now) {
    if (deadline_ > now) return Start::put_off;
    return state_.start() ? Start::runs : Start::never;
  }
  Rearmed rearm(Tick deadline) {
    if (state_.load() != TimerState::pending) return {};
    deadline_ = deadline;
    return {.was_pending = true};
  }

 private:
  StepwiseAtomic<Tick> deadline_;
  AtomicTimerState<StepwiseAtomic> state_;
};

TEST(RearmInterleavings, RunATimerEarlyWhenItsDeadlineIsApartFromItsState) {
  expect_fault<StartAgainstRearm<TwoWords>>();
}

}  // namespace
}  // namespace timers
