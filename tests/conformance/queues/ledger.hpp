#pragma once

/// What a queue must hold, stored in the simplest way: the model against which a Scenario checks.

#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "impls/timer_queue.hpp"
#include "tests/conformance/objection.hpp"

namespace timers::conformance {

using Id = std::uint64_t;
using Ids = std::vector<Id>;
using Ticks = std::vector<Tick>;

class Ledger {
 public:
  explicit Ledger(const Promises& promises) : promises_(promises) {}

  Tick now() const { return now_; }
  std::size_t size() const { return timers_.size(); }
  bool is_pending(Id id) const { return timers_.contains(id); }

  /// Sets a timer, whether it is pending or not.
  void set(Id id, Tick wanted);
  void remove(Id id);

  /// Moves time to `now`. A pass begins. It lasts until nothing is due any more: a callback, a
  /// limit or an exception may delay timers that are due.
  void begin_pass(Tick now);
  /// Says what would be wrong if the queue ran this timer now.
  std::optional<Objection> against_run(Id id, Tick deadline) const;
  void run(Id id);
  /// Says what would be wrong if the pass ended now. If nothing is wrong, it ends.
  std::optional<Objection> against_end_of_pass();

  /// Says what would be wrong if `next_expiry` returned `next`. Checks the next pass against it.
  std::optional<Objection> against_next(std::optional<Tick> next);

 private:
  struct Timer {
    Tick deadline;
    bool never;  // It was set at the end of time.
    std::uint64_t order;
    Tick last_tick;  // the last tick at which it may run
  };
  /// The sort key of the timers; `order` makes it unique.
  struct SortKey {
    Tick deadline;
    bool never;
    std::uint64_t order;
    Id id;
    friend auto operator<=>(const SortKey&, const SortKey&) = default;
  };

  static SortKey key(Id id, const Timer& timer) {
    return {timer.deadline, timer.never, timer.order, id};
  }
  static bool may_be_late(const Timer& timer) { return timer.last_tick != timer.deadline; }
  static std::string named(Id id, Tick deadline);
  std::string due(Id id) const { return named(id, timers_.at(id).deadline); }
  const SortKey& first() const { return *by_deadline_.begin(); }
  bool can_any_run() const { return !timers_.empty() && !first().never; }
  const SortKey& first_that_must_run() const;

  Promises promises_;
  Tick now_ = 0;
  std::uint64_t next_order_ = 0;
  std::unordered_map<Id, Timer> timers_;
  std::set<SortKey> by_deadline_;
  std::size_t maybe_late_ = 0;
  bool next_is_exact_ = true;  // false after a timer that may wake a sleeper twice

  std::optional<Tick> told_next_;  // the answer of the queue, since the last change

  // About the last pass.
  bool in_pass_ = false;  // The pass is not over: timers may be due.
  bool visits_every_tick_ = true;
  std::optional<Tick> told_before_;
  std::optional<Tick> previous_deadline_;
};

}  // namespace timers::conformance
