#pragma once

/// The state and the deadline of a timer that runs once and may be re-armed, in one atomic word.
///
/// Any thread may move the deadline of a timer that is pending. The thread of the service keeps the
/// timer where it was filed for its first deadline, and looks at the word at that deadline. So one
/// compare-and-set puts a timer off: the thread finds the later deadline, and files the timer anew.
/// The start of a run is a compare-and-set of the same word. So either the run begins, or the timer
/// waits for its new deadline, and the caller that re-arms it knows which.
///
/// If a timer comes nearer, the thread has to look at it early. So the timer is sent to the thread,
/// and is *on its way* until the thread has looked. A bit of the word says so. The step that moves
/// the deadline or cancels the timer sets this bit, or the thread itself does: so a timer is never
/// on its way twice. Another bit says that the thread has *left* the timer, which is over for it.
/// If it is still on its way, it is over when it arrives.
///
/// A service whose threads share the timers under a lock sends nothing. There a timer is *settled*
/// when its turn has come: its deadline is 0 from then on, and nobody can re-arm it.

#include <algorithm>
#include <atomic>
#include <cstdint>

#include "impls/services/parts/timer_state.hpp"
#include "impls/timer_queue.hpp"
#include "impls/timer_service.hpp"

namespace timers {

/// What a re-arm found and did.
struct Rearmed {
  bool was_pending = false;  ///< If not, nothing has changed.
  bool is_nearer = false;    ///< The new deadline is before the old one.
  bool sends = false;        ///< The caller has to send the timer to the thread.
};

/// What a cancel found and did.
struct Recalled {
  CancelResult result = CancelResult::gone;
  bool sends = false;  ///< The caller has to send the timer to the thread.
};

/// What became of a timer whose turn has come.
enum class Start : std::uint8_t {
  runs,
  put_off,  ///< It has a later deadline now.
  never     ///< It was cancelled.
};

/// `Atomic` is std::atomic except in tests that control the order of accesses.
template <template <class> class Atomic = std::atomic>
class RearmableState {
 public:
  /// Deadlines from here on never come: after 18 years of ticks of 1 ns.
  static constexpr Tick kNever = (Tick{1} << 59) - 1;

  /// Pending, and on its way to the thread.
  explicit RearmableState(Tick deadline) : word_(word_of(deadline) | kOnItsWay) {}

  TimerState load() const { return state_of(seen()); }
  Tick deadline() const { return deadline_of(seen()); }
  /// The deadline after all earlier changes, by any thread. A thread that changes the timer later
  /// sees all that the caller did before this call.
  Tick latest_deadline() { return deadline_of(word_.fetch_or(0, std::memory_order_release)); }
  bool is_left() const { return (seen() & kLeft) != 0; }

  /// Moves the deadline of a timer that is pending and not settled.
  Rearmed rearm(Tick deadline) {
    Word word = seen();
    for (;;) {
      if (state_of(word) != TimerState::pending || is_settled(word)) return {};
      const bool is_nearer = deadline < deadline_of(word);
      const Word way = is_nearer ? kOnItsWay : word & kOnItsWay;
      if (change(word, word_of(deadline) | way)) {
        return {.was_pending = true,
                .is_nearer = is_nearer,
                .sends = is_nearer && (word & kOnItsWay) == 0};
      }
    }
  }

  /// The same, but only if the new deadline is not before the old one. If it is, `is_nearer` is
  /// true, and nothing has changed.
  Rearmed put_off(Tick deadline) {
    Word word = seen();
    for (;;) {
      if (state_of(word) != TimerState::pending || is_settled(word)) return {};
      if (deadline < deadline_of(word)) return {.is_nearer = true};
      if (change(word, word_of(deadline) | (word & kOnItsWay))) return {.was_pending = true};
    }
  }

  /// A run begins, if the deadline is not after `now`.
  Start start(Tick now = kEndOfTime) {
    Word word = seen();
    for (;;) {
      if (state_of(word) != TimerState::pending) return Start::never;
      if (deadline_of(word) > now) return Start::put_off;
      if (change(word, with(word, TimerState::running))) return Start::runs;
    }
  }

  /// Whether the timer has nothing to wait for, because its deadline is not after `now` or it was
  /// cancelled. If so, it cannot be re-armed from now on.
  bool settle(Tick now) {
    Word word = seen();
    for (;;) {
      if (state_of(word) != TimerState::pending) return true;
      if (deadline_of(word) > now) return false;
      if (change(word, word & (kOnItsWay | kStates))) return true;
    }
  }

  /// The run is over. Only for the thread that started it.
  void finish() {
    Word word = seen();
    while (!change(word, with(word, TimerState::done))) {
    }
  }

  /// Cancels the timer: no run begins from now on. If this returns `cancelled`, the caller owns the
  /// task.
  CancelResult cancel() { return cancel_and(0).result; }

  /// The same, for services whose thread must see a timer that was cancelled.
  Recalled recall() { return cancel_and(kOnItsWay); }

  /// Cancels the timer only if it is pending.
  bool cancel_if_pending() { return cancel() == CancelResult::cancelled; }

  /// For the thread, which has to file the timer anew: from now on the timer is on its way. False
  /// if it was on its way already. Then it will arrive anyway.
  bool set_out() { return (word_.fetch_or(kOnItsWay, std::memory_order_relaxed) & kOnItsWay) == 0; }

  /// For the thread, which has filed the timer at `filed`: its way ends. False if the timer now has
  /// an earlier deadline, and must be filed again. Then it is still on its way.
  bool arrive(Tick filed) {
    Word word = seen();
    for (;;) {
      if (state_of(word) == TimerState::pending && deadline_of(word) < filed) return false;
      if (change(word, word & ~kOnItsWay)) return true;
    }
  }

  /// Its way ends. Returns whether the thread has left the timer. Then the caller has to give up
  /// the service's share.
  bool end_way() { return (word_.fetch_and(~kOnItsWay, std::memory_order_acq_rel) & kLeft) != 0; }

  /// For the thread, which leaves a timer that is not pending. If this returns true, the caller has
  /// to give up the service's share. Otherwise the arrival does so.
  bool leave() { return (word_.fetch_or(kLeft, std::memory_order_acq_rel) & kOnItsWay) == 0; }

 private:
  using Word = std::uint64_t;
  static constexpr Word kStates = 7;
  static constexpr Word kOnItsWay = 8;
  static constexpr Word kLeft = 16;
  static constexpr unsigned kDeadlineFrom = 5;  // the deadline has the bits from here on

  static Word word_of(Tick deadline) {
    return std::min(deadline, kNever) << kDeadlineFrom | static_cast<Word>(TimerState::pending);
  }
  static TimerState state_of(Word word) { return static_cast<TimerState>(word & kStates); }
  static Tick deadline_of(Word word) {
    const Tick deadline = word >> kDeadlineFrom;
    return deadline == kNever ? kEndOfTime : deadline;
  }
  static bool is_settled(Word word) { return word >> kDeadlineFrom == 0; }
  static Word with(Word word, TimerState state) {
    return (word & ~kStates) | static_cast<Word>(state);
  }

  Word seen() const { return word_.load(std::memory_order_acquire); }

  bool change(Word& from, Word to) {
    return word_.compare_exchange_weak(from, to, std::memory_order_acq_rel,
                                       std::memory_order_acquire);
  }

  Recalled cancel_and(Word way) {
    Word word = seen();
    for (;;) {
      if (state_of(word) != TimerState::pending) return {cancel_result_of(state_of(word))};
      if (change(word, with(word, TimerState::cancelled) | way)) {
        return {CancelResult::cancelled, (word & kOnItsWay) == 0};
      }
    }
  }

  Atomic<Word> word_;
};

}  // namespace timers
