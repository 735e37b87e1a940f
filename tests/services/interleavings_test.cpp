/// Every interleaving of two threads that use the inbox of a service, the state of a timer or the
/// freed slots of a block has one winner; and the search would find it if it had not.

#include "tests/services/interleavings.hpp"

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

namespace timers {
namespace {

template <class Program>
void expect_no_fault() {
  const Explored all = explore<Program>();
  EXPECT_EQ(all.fault, "") << "in run " << all.runs;
  EXPECT_GT(all.runs, 10u);
}

template <class Program>
void expect_fault() {
  EXPECT_NE(explore<Program>().fault, "");
}

struct ThreeWritesEach {
  StepwiseAtomic<int> value = 0;
  void first() { write(1); }
  void second() { write(2); }
  void write(int number) {
    for (int i = 0; i < 3; ++i) value = number;
  }
  static std::string fault() { return ""; }
};

TEST(Explorer, RunsEachInterleavingOnce) {
  EXPECT_EQ(explore<ThreeWritesEach>().runs, 20u);  // 6 over 3
}

struct ValuesOfTheirOwn {
  StepwiseAtomic<int> one = 0;
  StepwiseAtomic<int> other = 0;
  void first() { one = one + 1; }
  void second() { other = other + 1; }
  static std::string fault() { return ""; }
};

TEST(Explorer, TriesAccessesThatDoNotTouchInOneOrder) {
  EXPECT_EQ(explore<ValuesOfTheirOwn>().runs, 1u);
}

/// Each thread writes one value and reads the other's.
struct WriteThenRead {
  static inline std::set<std::pair<int, int>> outcomes;
  StepwiseAtomic<int> one = 0;
  StepwiseAtomic<int> other = 0;
  int seen_by_first = 0;
  int seen_by_second = 0;
  void first() {
    one = 1;
    seen_by_first = other;
  }
  void second() {
    other = 1;
    seen_by_second = one;
  }
  std::string fault() const {
    outcomes.emplace(seen_by_first, seen_by_second);
    return "";
  }
};

TEST(Explorer, FindsAllOutcomesOfInterleavingAndNoOther) {
  WriteThenRead::outcomes.clear();
  explore<WriteThenRead>();
  EXPECT_EQ(WriteThenRead::outcomes, (std::set<std::pair<int, int>>{{0, 1}, {1, 0}, {1, 1}}));
}

struct LostUpdate {
  StepwiseAtomic<int> value = 0;
  void first() { value = value + 1; }
  void second() { value = value + 1; }
  std::string fault() const { return value == 2 ? "" : "an update is lost"; }
};

TEST(Explorer, FindsAnUpdateThatIsLost) { expect_fault<LostUpdate>(); }

// The inbox. What is put in are letters, 0 to 2 by the first thread and 3 to 5 by the second.

/// `Link` is a plain address, which moves with the access before it, or one whose accesses are
/// steps of their own: where a reader takes letters while they are put in.
template <template <class> class Link>
struct Letter {
  Link<Letter> next_in_inbox = nullptr;
};
template <class Node>
using PlainLink = Node*;
template <class Node>
using StepwiseLink = StepwiseAtomic<Node*>;

using Numbers = std::vector<std::size_t>;

/// Six letters and an inbox.
template <template <class, template <class> class> class InboxType, template <class> class Link>
class Office {
 protected:
  using Node = Letter<Link>;

  void push(std::size_t number) { counts_[number] = inbox_.push(&letters_[number]); }
  bool accepted(std::size_t number) const { return counts_[number] > 0; }

  Numbers take_all() { return numbers(inbox_.take_all()); }
  Numbers close() { return numbers(inbox_.close()); }

  /// Whether these are the letters that were accepted, each once, and in order for each thread.
  bool are_all(Numbers taken) const {
    Numbers all;
    for (std::size_t number = 0; number < 6; ++number) {
      if (accepted(number)) all.push_back(number);
    }
    std::stable_partition(taken.begin(), taken.end(),
                          [](std::size_t number) { return number < 3; });
    return taken == all;
  }
  /// Whether each letter that was accepted was counted right, if none was taken meanwhile.
  bool counted_on() const {
    auto counts = counts_;
    std::sort(counts.begin(), counts.end());
    std::array<std::size_t, 6> right{};
    std::iota(right.begin(), right.end(), 1);
    return counts == right;
  }

 private:
  /// More than six, if they lead round in a ring.
  Numbers numbers(const Node* letter) {
    Numbers found;
    for (; letter != nullptr && found.size() <= 6; letter = letter->next_in_inbox) {
      found.push_back(static_cast<std::size_t>(letter - letters_.data()));
    }
    return found;
  }

  std::array<Node, 6> letters_;
  std::array<std::size_t, 6> counts_{};
  InboxType<Node, StepwiseAtomic> inbox_;
};

Numbers joined(Numbers one, const Numbers& other) {
  one.insert(one.end(), other.begin(), other.end());
  return one;
}

template <template <class, template <class> class> class InboxType>
struct TwoProducers : Office<InboxType, PlainLink> {
  void first() {
    for (const std::size_t number : Numbers{0, 1, 2}) this->push(number);
  }
  void second() {
    for (const std::size_t number : Numbers{3, 4, 5}) this->push(number);
  }
  std::string fault() {
    if (!this->are_all(this->take_all())) return "letters are lost, doubled or out of order";
    return this->counted_on() ? "" : "letters are miscounted";
  }
};

template <template <class, template <class> class> class InboxType>
struct ProducerAndReader : Office<InboxType, StepwiseLink> {
  Numbers taken;
  void first() {
    for (const std::size_t number : Numbers{0, 1, 2}) this->push(number);
  }
  void second() {
    for (int i = 0; i < 3; ++i) taken = joined(taken, this->take_all());
  }
  std::string fault() {
    if (!this->accepted(0) || !this->accepted(1) || !this->accepted(2))
      return "a letter is refused";
    return this->are_all(joined(taken, this->take_all())) ? "" : "letters are lost or doubled";
  }
};

template <template <class, template <class> class> class InboxType>
struct ProducerAndCloser : Office<InboxType, StepwiseLink> {
  Numbers taken;
  void first() {
    for (const std::size_t number : Numbers{0, 1, 2}) this->push(number);
  }
  void second() {
    taken = this->take_all();
    taken = joined(taken, this->take_all());
    taken = joined(taken, this->close());
  }
  std::string fault() {
    if (this->accepted(1) > this->accepted(0) || this->accepted(2) > this->accepted(1)) {
      return "a letter is accepted after the close";
    }
    if (!this->are_all(taken)) return "a letter is neither refused nor taken";
    return this->close().empty() ? "" : "a letter comes after the close";
  }
};

template <template <class, template <class> class> class InboxType>
struct TwoClosers : Office<InboxType, PlainLink> {
  Numbers taken_by_first;
  Numbers taken_by_second;
  void first() {
    for (const std::size_t number : Numbers{0, 1}) this->push(number);
    taken_by_first = this->close();
  }
  void second() {
    for (const std::size_t number : Numbers{3, 4}) this->push(number);
    taken_by_second = this->close();
  }
  std::string fault() {
    return this->are_all(joined(taken_by_first, taken_by_second))
               ? ""
               : "a letter is neither refused nor taken once";
  }
};

/// Someone looks into an inbox that another one closes.
template <template <class, template <class> class> class InboxType>
struct ReaderAndCloser : Office<InboxType, PlainLink> {
  Numbers taken_by_first;
  Numbers taken_by_second;
  void first() {
    for (const std::size_t number : Numbers{0, 1}) this->push(number);
    taken_by_first = this->take_all();
  }
  void second() {
    this->push(3);
    taken_by_second = this->close();
  }
  std::string fault() {
    if (!this->are_all(joined(taken_by_first, taken_by_second))) {
      return "a letter is neither refused nor taken once";
    }
    this->push(5);
    return this->accepted(5) ? "an inbox that was closed is open again" : "";
  }
};

// C-12, C-13, C-18
TEST(InboxInterleavings, LoseNothingOfTwoProducers) { expect_no_fault<TwoProducers<Inbox>>(); }
TEST(InboxInterleavings, LoseNothingToAReader) { expect_no_fault<ProducerAndReader<Inbox>>(); }
TEST(InboxInterleavings, LoseNothingToAClose) { expect_no_fault<ProducerAndCloser<Inbox>>(); }
TEST(InboxInterleavings, GiveEachLetterToOneCloser) { expect_no_fault<TwoClosers<Inbox>>(); }
TEST(InboxInterleavings, LeaveAnInboxClosed) { expect_no_fault<ReaderAndCloser<Inbox>>(); }

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

/// A thread that runs a timer, up to three times, and one that keeps it from that.
template <class State>
struct Timer {
  State state;
  int runs = 0;
  bool is_over = false;
  std::size_t last_start = 0;

  void run_once() {
    if (!start()) return;
    is_over = true;
    state.finish();
  }
  void run_thrice() {
    for (int i = 0; i < 3; ++i) {
      if (!start()) return;
      if (i < 2 && state.repeat()) continue;
      is_over = true;
      state.finish();
      return;
    }
  }
  bool start() {
    const bool starts = state.start();
    if (starts) {
      ++runs;
      last_start = Explorer::accesses();
    }
    return starts;
  }
};

/// What three cancels said, and when the first of them had it.
template <class State>
struct Canceller {
  std::array<CancelResult, 3> results{};
  std::size_t first_at = 0;
  std::string complaint;

  void cancel(Timer<State>& timer) {
    for (std::size_t i = 0; i < results.size(); ++i) {
      results[i] = timer.state.cancel();
      if (i == 0) first_at = Explorer::accesses();
      if (results[i] == CancelResult::gone && results[0] != CancelResult::cancelled &&
          !timer.is_over) {
        complaint = "a timer is said to be gone before its end";
      }
    }
  }
  /// A timer is cancelled or runs for a while, and then is gone.
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
    if (!gone && timer.last_start > canceller.first_at) return "a cancelled timer ran again";
    return canceller.fault();
  }
};

template <class State>
struct RunsAgainstWithdraw {
  Timer<State> timer;
  int withdrawn = 0;
  std::size_t withdrawn_at = 0;
  void first() { timer.run_thrice(); }
  void second() {
    for (int i = 0; i < 3; ++i) {
      if (!timer.state.withdraw()) continue;
      ++withdrawn;
      withdrawn_at = Explorer::accesses();
    }
  }
  std::string fault() const {
    if (withdrawn > 1) return "a timer was withdrawn twice";
    if (withdrawn == 0 && timer.runs != 3) return "a timer that nobody withdrew did not run thrice";
    if (withdrawn == 1 && timer.last_start > withdrawn_at) return "a withdrawn timer ran again";
    return "";
  }
};

template <class State>
struct CancelAgainstWithdraw {
  State state;
  std::array<int, 2> wins{};
  void first() {
    for (int i = 0; i < 3; ++i) wins[0] += state.cancel() == CancelResult::cancelled ? 1 : 0;
  }
  void second() {
    for (int i = 0; i < 3; ++i) wins[1] += state.withdraw() ? 1 : 0;
  }
  std::string fault() const { return wins[0] + wins[1] == 1 ? "" : "a task had not one owner"; }
};

/// Two threads that schedule one timer.
template <class State>
struct ScheduleAgainstSchedule {
  State state{TimerState::fresh};
  std::array<int, 2> wins{};
  void first() { schedule_thrice(wins[0]); }
  void second() { schedule_thrice(wins[1]); }
  void schedule_thrice(int& won) {
    for (int i = 0; i < 3; ++i) won += state.claim() && state.publish() ? 1 : 0;
  }
  std::string fault() const {
    return wins[0] + wins[1] == 1 ? "" : "a timer was not scheduled by one";
  }
};

template <class State>
struct ScheduleAgainstCancel {
  State state{TimerState::fresh};
  bool scheduled = false;
  bool ran = false;
  TimerState found = TimerState::done;
  void first() {
    scheduled = state.claim() && state.publish();
    if (scheduled) ran = state.start_last();
  }
  void second() { found = state.forbid_runs(); }
  std::string fault() const {
    const bool never_waited = found == TimerState::fresh || found == TimerState::claimed;
    if (never_waited && scheduled) return "a timer was cancelled, and then scheduled";
    if (!never_waited && !scheduled) return "a timer that waited was not scheduled";
    if (ran != (found == TimerState::last_run)) return "a timer was not either run or cancelled";
    return "";
  }
};

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
    if (withdraw()) return CancelResult::cancelled;
    if (kFault != StateFault::forgets_the_cancel) change(TimerState::running, TimerState::last_run);
    const TimerState state = state_.load();
    return state == TimerState::running || state == TimerState::last_run ? CancelResult::running
                                                                         : CancelResult::gone;
  }
  bool withdraw() { return change(TimerState::pending, TimerState::cancelled); }

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

/// A thread that starts a timer once its deadline has come, and one that moves the deadline.
template <class State>
struct StartAgainstRearm {
  State state{5};
  Tick ran_at = 0;
  std::size_t started = 0;
  Tick last = 5;
  std::size_t rearmed = 0;

  StartAgainstRearm() { state.arrive(5); }
  void first() {
    for (const Tick now : {Tick{5}, Tick{7}, Tick{9}}) {
      if (state.start(now) != Start::runs) continue;
      ran_at = now;
      started = Explorer::accesses();
      return;
    }
  }
  void second() {
    for (const Tick deadline : {Tick{8}, Tick{6}, Tick{12}}) {
      if (!state.rearm(deadline).was_pending) continue;
      last = deadline;
      rearmed = Explorer::accesses();
    }
  }
  std::string fault() const {
    if (started == 0) return state.deadline() == last ? "" : "a deadline is lost";
    if (rearmed > started) return "a timer was re-armed that ran";
    return ran_at < last ? "a timer ran before its deadline" : "";
  }
};

/// A thread that files a timer, and one that brings it nearer meanwhile.
struct FileAgainstRearm {
  mutable RearmableState<StepwiseAtomic> state{9};
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

/// A thread that runs a timer or finds it cancelled, and leaves it; and one that re-arms and
/// cancels it, and finds the service stopped.
struct LeaveAgainstCancel {
  RearmableState<StepwiseAtomic> state{5};
  int given_up = 0;
  LeaveAgainstCancel() { state.arrive(5); }
  void first() {
    if (state.start(5) == Start::runs) state.finish();
    given_up += state.leave() ? 1 : 0;
  }
  void second() {
    if (state.rearm(3).sends) given_up += state.end_way() ? 1 : 0;
    if (state.recall().sends) given_up += state.end_way() ? 1 : 0;
  }
  std::string fault() const {
    return given_up == 1 ? "" : "the share of the service was not given up once";
  }
};

/// Two threads bring one timer nearer. The second one wakes the thread of the service, which looks
/// and goes back to sleep; or else it finds that the first one has sent the timer.
template <bool kReadsAgain>
struct RearmAgainstRearmAndSleep {
  RearmableState<StepwiseAtomic> state{200};
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

TEST(RearmInterleavings, SleepThroughNoDeadlineThatAnotherThreadBroughtNearer) {
  expect_no_fault<RearmAgainstRearmAndSleep<true>>();
  expect_fault<RearmAgainstRearmAndSleep<false>>();
}

TEST(RearmInterleavings, NeverRunATimerBeforeTheDeadlineThatItWasGiven) {
  expect_no_fault<StartAgainstRearm<RearmableState<StepwiseAtomic>>>();
}
TEST(RearmInterleavings, LoseNoDeadlineThatComesNearer) { expect_no_fault<FileAgainstRearm>(); }
TEST(RearmInterleavings, GiveUpTheShareOfTheServiceOnce) { expect_no_fault<LeaveAgainstCancel>(); }

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

constexpr std::uint16_t kSlots = 4;
using Slots = FreedSlots<kSlots, StepwiseAtomic>;

/// Which slots are in a list, each as often as it is.
std::multiset<int> listed(const Slots& slots, Slots::State state) {
  std::multiset<int> all;
  for (auto slot = state.first; slot != Slots::kNone && all.size() < 9; slot = slots.behind(slot)) {
    all.insert(slot);
  }
  return all;
}

/// Frees slots of a block. Counts how often the middle one was freed, and how often the last.
struct Freer {
  explicit Freer(Slots& of) : slots(of) {}

  void free(std::uint16_t slot) {
    Slots::State state = slots.free_unless_all(slot);
    if (state.is_all()) {
      ++refused;
      state = slots.free(slot);
    }
    halves += state.is_half();
    wholes += state.is_all();
  }

  Slots& slots;
  int halves = 0;
  int wholes = 0;
  int refused = 0;
};

struct TwoFreers {
  TwoFreers() { slots.retire(); }
  void first() {
    one.free(0);
    one.free(1);
  }
  void second() {
    other.free(2);
    other.free(3);
  }
  std::string fault() const {
    if (listed(slots, slots.look()) != std::multiset{0, 1, 2, 3}) return "a slot is lost";
    if (one.halves + other.halves != 1) return "not one of them freed the middle slot";
    if (one.wholes + other.wholes != 1) return "not one of them freed the last slot";
    if (one.refused + other.refused != 1) return "not one of them was told before";
    return "";
  }

  Slots slots;
  Freer one{slots};
  Freer other{slots};
};

/// The thread that has the block takes what is free of it, or gives it up.
struct FreerAndSource {
  void first() {
    freer.free(0);
    freer.free(1);
  }
  void second() {
    if (slots.retire_if_none()) return;
    const Slots::State state = slots.take();
    taken = listed(slots, state);
    is_count_right = state.count == taken.size();
  }
  std::string fault() const {
    std::multiset<int> all = listed(slots, slots.look());
    const bool is_retired = slots.look().owner == Slots::Owner::nobody;
    all.insert(taken.begin(), taken.end());
    if (all != std::multiset{0, 1}) return "a slot is lost, or there twice";
    if (!is_count_right) return "the count is wrong";
    if (is_retired && !taken.empty()) return "it was given up with slots that are free";
    if (freer.halves != is_retired) return "the middle slot is not told of";
    return "";
  }

  Slots slots;
  Freer freer{slots};
  std::multiset<int> taken;
  bool is_count_right = true;
};

/// A thread that ends gives up a block.
struct FreerAndLastOwner {
  void first() {
    freer.free(0);
    freer.free(1);
  }
  void second() { left = slots.retire().count; }
  std::string fault() const {
    if (listed(slots, slots.look()) != std::multiset{0, 1}) return "a slot is lost";
    if (slots.look().owner != Slots::Owner::nobody) return "somebody has it";
    if (freer.halves + (left == kSlots / 2) != 1) return "not one of them knows that half is free";
    return "";
  }

  Slots slots;
  Freer freer{slots};
  int left = 0;
};

TEST(FreedSlotsInterleavings, HaveOneMiddleAndOneLast) { expect_no_fault<TwoFreers>(); }
TEST(FreedSlotsInterleavings, LoseNoSlotToTheThreadThatTakes) { expect_no_fault<FreerAndSource>(); }
TEST(FreedSlotsInterleavings, LoseNoSlotOfAThreadThatEnds) { expect_no_fault<FreerAndLastOwner>(); }

}  // namespace
}  // namespace timers
