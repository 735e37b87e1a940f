#include "tests/conformance/queues/ledger.hpp"

#include <algorithm>

#include "tests/conformance/queues/laws.hpp"

namespace timers::conformance {

void Ledger::set(Id id, Tick wanted) {
  remove(id);
  const bool never = now_ == kEndOfTime;
  const Tick deadline = never ? kEndOfTime : std::max(wanted, now_ + 1);
  const Tick delay = deadline - now_;
  const Tick lateness = std::min(promises_.max_lateness(delay), kEndOfTime - deadline);
  const Timer timer{.deadline = deadline,
                    .never = never,
                    .order = next_order_++,
                    .last_tick = deadline + lateness};
  timers_.emplace(id, timer);
  by_deadline_.insert(key(id, timer));
  if (may_be_late(timer)) ++maybe_late_;
  if (promises_.max_wakes(delay) > 1) next_is_exact_ = false;
}

void Ledger::remove(Id id) {
  told_next_.reset();
  const auto found = timers_.find(id);
  if (found == timers_.end()) return;
  by_deadline_.erase(key(id, found->second));
  if (may_be_late(found->second)) --maybe_late_;
  timers_.erase(found);
}

void Ledger::begin_pass(Tick now) {
  in_pass_ = true;
  visits_every_tick_ = now - now_ <= 1;
  told_before_ = told_next_;
  previous_deadline_.reset();
  now_ = now;
}

/// "timer 2, due at 5"
std::string Ledger::named(Id id, Tick deadline) {
  return "timer " + std::to_string(id) + ", due at " + tick_in_words(deadline);
}

std::optional<Objection> Ledger::against_run(Id id, Tick deadline) const {
  // The text is made only for an objection.
  const auto ran = [&] { return named(id, deadline) + ", ran at " + tick_in_words(now_); };
  const auto found = timers_.find(id);
  if (found == timers_.end())
    return Objection{laws::kOnlyPending, "timer " + std::to_string(id) + " is not pending", ran()};
  const Timer& timer = found->second;
  if (timer.deadline != deadline)
    return Objection{laws::kToldDeadline, tick_in_words(timer.deadline), ran()};
  if (timer.never) return Objection{laws::kOnlyPending, "it never runs", ran()};
  if (deadline > now_)
    return Objection{laws::kNeverEarly, "it waits until " + tick_in_words(deadline), ran()};
  if (visits_every_tick_ && told_before_ && *told_before_ > now_) {
    return Objection{laws::kNextNotLate, "next_expiry was at most " + tick_in_words(now_),
                     ran() + ", and next_expiry was " + tick_in_words(*told_before_)};
  }

  if (promises_.expires_in_order) {
    if (previous_deadline_ && deadline < *previous_deadline_) {
      return Objection{laws::kInOrder,
                       "it runs before one that is due at " + tick_in_words(*previous_deadline_),
                       ran() + " after that"};
    }
    const SortKey& earliest = first();
    if (maybe_late_ == 0 && earliest.deadline < deadline)
      return Objection{laws::kInOrder, due(earliest.id) + ", runs first", ran()};
  }
  if (promises_.fifo) {
    const Id set_first = by_deadline_.lower_bound(SortKey{deadline, false, 0, 0})->id;
    if (set_first != id)
      return Objection{laws::kFifo, due(set_first) + ", runs first, as it was set first", ran()};
  }
  return std::nullopt;
}

void Ledger::run(Id id) {
  const auto found = timers_.find(id);
  if (found != timers_.end()) previous_deadline_ = found->second.deadline;
  remove(id);
}

std::optional<Objection> Ledger::against_end_of_pass() {
  in_pass_ = false;
  if (!can_any_run()) return std::nullopt;
  const SortKey& left = first_that_must_run();
  if (timers_.at(left.id).last_tick <= now_) {
    return Objection{laws::kRunsAllThatIsDue,
                     due(left.id) + ", has run when expire to " + tick_in_words(now_) + " returns",
                     "it is pending"};
  }
  if (next_is_exact_ && !previous_deadline_ && told_before_ == now_) {
    return Objection{laws::kNextExact, "a timer runs at " + tick_in_words(now_),
                     "next_expiry was " + tick_in_words(now_) + ", and no timer ran then"};
  }
  return std::nullopt;
}

std::optional<Objection> Ledger::against_next(std::optional<Tick> next) {
  told_next_ = next;
  const auto seen = [&] { return next ? tick_in_words(*next) : "none"; };
  if (timers_.empty()) {
    if (next) return Objection{"next_expiry is none when no timer is pending.", "none", seen()};
    return std::nullopt;
  }
  if (!next)
    return Objection{laws::kNextNotLate, "at most " + tick_in_words(first().deadline), seen()};
  if (!can_any_run()) {
    if (*next == kEndOfTime) return std::nullopt;
    return Objection{"next_expiry is kEndOfTime when only timers are left that never run.",
                     "kEndOfTime", seen()};
  }
  const SortKey& bound = first_that_must_run();
  const Tick most = std::max(timers_.at(bound.id).last_tick, now_);
  if (*next > most) {
    return Objection{laws::kNextNotLate,
                     "at most " + tick_in_words(most) + ", for " + due(bound.id), seen()};
  }
  if (timers_.at(bound.id).last_tick <= now_) return std::nullopt;

  const Tick earliest = first().deadline;
  if (*next <= now_) {
    if (in_pass_ && earliest <= now_) return std::nullopt;
    return Objection{"next_expiry is after now when nothing is due.",
                     "a tick after " + tick_in_words(now_) + ": the first timer is due at " +
                         tick_in_words(earliest),
                     seen()};
  }
  if (next_is_exact_ && *next < earliest)
    return Objection{laws::kNextExact, tick_in_words(earliest), seen()};
  return std::nullopt;
}

/// Of the timers that can run, the one that must run first, i.e. whose last tick is the earliest.
const Ledger::SortKey& Ledger::first_that_must_run() const {
  auto found = by_deadline_.begin();
  Tick last_tick = timers_.at(found->id).last_tick;
  for (auto other = found; other != by_deadline_.end(); ++other) {
    if (other->never || other->deadline >= last_tick) break;
    if (const Tick its_last = timers_.at(other->id).last_tick; its_last < last_tick) {
      found = other;
      last_tick = its_last;
    }
  }
  return *found;
}

}  // namespace timers::conformance
