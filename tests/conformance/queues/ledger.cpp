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
  const Timer timer{.deadline = deadline,
                    .never = never,
                    .order = next_order_++,
                    .lateness = promises_.max_lateness(delay),
                    .wakes_once = promises_.max_wakes(delay) <= 1};
  timers_.emplace(id, timer);
  by_deadline_.insert(place(id, timer));
  if (timer.lateness > 0) ++maybe_late_;
  if (!timer.wakes_once) ++waking_often_;
}

void Ledger::remove(Id id) {
  const auto found = timers_.find(id);
  if (found == timers_.end()) return;
  const Timer& timer = found->second;
  by_deadline_.erase(place(id, timer));
  if (timer.lateness > 0) --maybe_late_;
  if (!timer.wakes_once) --waking_often_;
  timers_.erase(found);
}

testing::AssertionResult Ledger::may_run(Id id, Tick deadline, std::optional<Tick> previous) const {
  const auto found = timers_.find(id);
  if (found == timers_.end()) return AssertionFailure() << "it is not pending";
  const Timer& timer = found->second;
  if (timer.deadline != deadline)
    return AssertionFailure() << "it is due at " << timer.deadline << ", not at " << deadline;
  if (!is_due(timer)) return AssertionFailure() << "it is not due yet";

  if (promises_.expires_in_order) {
    if (previous && deadline < *previous)
      return AssertionFailure() << "one that was due at " << *previous << " ran before it";
    const Tick earliest = first().deadline;
    if (maybe_late_ == 0 && earliest < deadline)
      return AssertionFailure() << "one that is due at " << earliest << " has not run";
  }
  if (promises_.fifo) {
    const Id set_first = by_deadline_.lower_bound(Place{deadline, false, 0, 0})->id;
    if (set_first != id) return AssertionFailure() << "timer " << set_first << " was set before it";
  }
  return AssertionSuccess();
}

testing::AssertionResult Ledger::nothing_is_due(Tick before) const {
  // A queue that may be late is held to its bound on a clock that visits every tick.
  const bool visits_every_tick = now_ - before <= 1;
  for (const auto& [deadline, never, order, id] : by_deadline_) {
    if (deadline > now_ || never) break;
    const Tick lateness = timers_.at(id).lateness;
    if (lateness == 0 || (visits_every_tick && now_ - deadline >= lateness))
      return AssertionFailure() << "timer " << id << ", due at " << deadline << ", has not run";
  }
  return AssertionSuccess();
}

testing::AssertionResult Ledger::may_be_next(std::optional<Tick> next) const {
  if (timers_.empty()) {
    if (next) return AssertionFailure() << *next << ", but nothing is pending";
    return AssertionSuccess();
  }
  const Tick earliest = first().deadline;
  if (!next) return AssertionFailure() << "none, but a timer is due at " << earliest;
  if (*next > earliest)
    return AssertionFailure() << *next << ", but a timer is due at " << earliest;
  if (earliest <= now_) {
    const bool waits_for_ever = first().never;
    if (waits_for_ever && *next != kEndOfTime)
      return AssertionFailure() << *next << ", but nothing expires any more";
    return AssertionSuccess();
  }
  if (*next <= now_ && maybe_late_ == 0)
    return AssertionFailure() << *next << ", but nothing is due before " << earliest;
  if (waking_often_ == 0 && *next != earliest)
    return AssertionFailure() << *next << ", but " << earliest << " is promised";
  return AssertionSuccess();
}

}  // namespace timers::conformance
