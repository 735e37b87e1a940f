#include "tests/conformance/queues/ledger.hpp"

#include <algorithm>

namespace timers::conformance {

using testing::AssertionFailure;
using testing::AssertionSuccess;

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

testing::AssertionResult Ledger::may_run(Id id, Tick deadline) const {
  const auto found = timers_.find(id);
  if (found == timers_.end()) return AssertionFailure() << "it is not pending";
  const Timer& timer = found->second;
  if (timer.deadline != deadline)
    return AssertionFailure() << "it is due at " << timer.deadline << ", not at " << deadline;
  if (deadline > now_ || timer.never) return AssertionFailure() << "it is not due yet";
  if (visits_every_tick_ && told_before_ && *told_before_ > now_)
    return AssertionFailure() << "next_expiry was " << *told_before_;

  if (promises_.expires_in_order) {
    if (previous_deadline_ && deadline < *previous_deadline_) {
      return AssertionFailure() << "one that was due at " << *previous_deadline_
                                << " ran before it";
    }
    const Tick earliest = first().deadline;
    if (maybe_late_ == 0 && earliest < deadline)
      return AssertionFailure() << "one that is due at " << earliest << " has not run";
  }
  if (promises_.fifo) {
    const Id set_first = by_deadline_.lower_bound(SortKey{deadline, false, 0, 0})->id;
    if (set_first != id) return AssertionFailure() << "timer " << set_first << " was set before it";
  }
  return AssertionSuccess();
}

void Ledger::run(Id id) {
  const auto found = timers_.find(id);
  if (found != timers_.end()) previous_deadline_ = found->second.deadline;
  remove(id);
}

testing::AssertionResult Ledger::may_end_pass() {
  in_pass_ = false;
  if (!can_any_run()) return AssertionSuccess();
  const SortKey& left = first_that_must_run();
  if (timers_.at(left.id).last_tick <= now_) {
    return AssertionFailure() << "timer " << left.id << ", due at " << left.deadline
                              << ", has not run";
  }
  if (next_is_exact_ && !previous_deadline_ && told_before_ == now_)
    return AssertionFailure() << "next_expiry was " << now_ << ", but no timer ran then";
  return AssertionSuccess();
}

testing::AssertionResult Ledger::may_be_next(std::optional<Tick> next) {
  told_next_ = next;
  if (timers_.empty()) {
    if (next) return AssertionFailure() << *next << ", but nothing is pending";
    return AssertionSuccess();
  }
  if (!next) return AssertionFailure() << "none, but a timer is due at " << first().deadline;
  if (!can_any_run()) {
    if (*next == kEndOfTime) return AssertionSuccess();
    return AssertionFailure() << *next << ", but nothing expires any more";
  }
  const SortKey& bound = first_that_must_run();
  if (*next > std::max(timers_.at(bound.id).last_tick, now_))
    return AssertionFailure() << *next << ", but a timer is due at " << bound.deadline;
  if (timers_.at(bound.id).last_tick <= now_) return AssertionSuccess();

  const Tick earliest = first().deadline;
  if (*next <= now_) {
    if (in_pass_ && earliest <= now_) return AssertionSuccess();
    return AssertionFailure() << *next << ", but nothing is due before " << earliest;
  }
  if (next_is_exact_ && *next < earliest)
    return AssertionFailure() << *next << ", but " << earliest << " is promised";
  return AssertionSuccess();
}

/// Of the timers that can run, the one whose last tick is the first.
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
