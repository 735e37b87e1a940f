/// Two threads use the inbox of a service, the state of a timer or the freed slots of a block. In
/// all executions that the memory model allows, exactly one of them wins. And if there is a fault
/// in these parts, the search finds it.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "impls/services/parts/freed_slots.hpp"
#include "impls/services/parts/inbox.hpp"
#include "impls/services/parts/rearmable_state.hpp"
#include "impls/services/parts/timer_state.hpp"
#include "impls/timer_queue.hpp"
#include "impls/timer_service.hpp"
#include "tests/services/expect_explored.hpp"
#include "tests/services/explorer.hpp"
#include "tests/services/programs/freed_slots.hpp"
#include "tests/services/programs/inbox.hpp"
#include "tests/services/programs/rearmable_state.hpp"
#include "tests/services/programs/timer_state.hpp"

namespace timers {
namespace {

using namespace programs;  // NOLINT(google-build-using-namespace): the tests are about these

// The inbox.

// C-12, C-13, C-18
TEST(InboxInterleavings, LoseNothingOfTwoProducers) { expect_no_fault<TwoProducers<Inbox>>(); }
TEST(InboxInterleavings, LoseNothingToAReader) { expect_no_fault<ProducerAndReader<Inbox>>(); }
TEST(InboxInterleavings, LoseNothingToAClose) { expect_no_fault<ProducerAndCloser<Inbox>>(); }
TEST(InboxInterleavings, GiveEachLetterToOneCloser) { expect_no_fault<TwoClosers<Inbox>>(); }
TEST(InboxInterleavings, LeaveAnInboxClosed) { expect_no_fault<ReaderAndCloser<Inbox>>(); }
TEST(InboxInterleavings, TellWhoeverIsRefusedWhatTheCloserDid) {
  expect_no_fault<RefusedByCloser<Inbox>>();
}

enum class InboxFault { pushes_in_two_steps, takes_in_two_steps, closes_in_two_steps, links_late };

/// An inbox with one fault, on a list of nodes without a count.
template <InboxFault kFault>
struct Faulty {
  template <class Node, template <class> class Atomic>
  class Inbox {
   public:
    std::size_t push(Node* node) {
      if (closed_.load()) return 0;
      Node* seen = last_.load();
      if (kFault == InboxFault::links_late) {
        while (!last_.compare_exchange_strong(seen, node)) {
        }
        node->next_in_inbox = seen;
      } else if (kFault == InboxFault::pushes_in_two_steps) {
        node->next_in_inbox = seen;
        last_.store(node);
      } else {
        do {
          node->next_in_inbox = seen;
        } while (!last_.compare_exchange_strong(seen, node));
      }
      return 1;
    }

    Node* take_all() {
      Node* last = nullptr;
      if (kFault == InboxFault::takes_in_two_steps) {
        last = last_.load();
        last_.store(nullptr);
      } else {
        last = last_.exchange(nullptr);
      }
      Node* first = nullptr;
      while (last != nullptr) {
        Node* const before = last->next_in_inbox;
        last->next_in_inbox = first;
        first = last;
        last = before;
      }
      return first;
    }

    Node* close() {
      Node* const all = take_all();
      closed_.store(true);
      return all;
    }

   private:
    Atomic<Node*> last_ = nullptr;
    Atomic<bool> closed_ = false;
  };
};

TEST(InboxInterleavings, LoseLettersThatArePushedInTwoSteps) {
  expect_fault<TwoProducers<Faulty<InboxFault::pushes_in_two_steps>::Inbox>>();
}
TEST(InboxInterleavings, LoseLettersThatAreTakenInTwoSteps) {
  expect_fault<ProducerAndReader<Faulty<InboxFault::takes_in_two_steps>::Inbox>>();
}
TEST(InboxInterleavings, LoseLettersToACloseInTwoSteps) {
  expect_fault<ProducerAndCloser<Faulty<InboxFault::closes_in_two_steps>::Inbox>>();
}
TEST(InboxInterleavings, LoseLettersThatAreLinkedAfterTheyAreSeen) {
  expect_fault<ProducerAndReader<Faulty<InboxFault::links_late>::Inbox>>();
}

// The state of a timer.

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

// The state of a timer that may be re-armed.

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
  RightState state_;
};

TEST(RearmInterleavings, RunATimerEarlyWhenItsDeadlineIsApartFromItsState) {
  expect_fault<StartAgainstRearm<TwoWords>>();
}

// The freed slots of a block.

TEST(FreedSlotsInterleavings, HaveOneMiddleAndOneLast) { expect_no_fault<TwoFreers>(); }
TEST(FreedSlotsInterleavings, LoseNoSlotToTheThreadThatTakes) { expect_no_fault<FreerAndSource>(); }
TEST(FreedSlotsInterleavings, GiveTheMemoryBackOnce) {
  expect_no_fault<ShelfAndLastFreer>();
  expect_no_fault<OwnerAndLastFreer<true>>();
  expect_no_fault<OwnerAndLastFreer<false>>();
}
TEST(FreedSlotsInterleavings, LoseNoSlotOfAThreadThatEnds) { expect_no_fault<FreerAndLastOwner>(); }

}  // namespace
}  // namespace timers
