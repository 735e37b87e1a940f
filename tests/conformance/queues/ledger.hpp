#pragma once

/// What a queue must hold, kept by the simplest means: the model that a Scenario checks against.

#include <gtest/gtest.h>

#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <unordered_map>
#include <vector>

#include "impls/timer_queue.hpp"

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

  void move_to(Tick now) { now_ = now; }

  /// Sets a timer that is not pending, or sets a pending one anew.
  void set(Id id, Tick wanted);
  void remove(Id id);

  /// Whether the queue may run this timer now, after one that was due at `previous` in this call.
  testing::AssertionResult may_run(Id id, Tick deadline, std::optional<Tick> previous) const;
  /// Whether a whole pass from `before` has left nothing behind.
  testing::AssertionResult nothing_is_due(Tick before) const;
  /// Whether `next_expiry` may be this.
  testing::AssertionResult may_be_next(std::optional<Tick> next) const;

 private:
  struct Timer {
    Tick deadline;
    bool never;  // It was set at the end of time.
    std::uint64_t order;
    Tick lateness;
    bool wakes_once;
  };
  /// What the timers are sorted by; `order` makes it unique.
  struct Place {
    Tick deadline;
    bool never;
    std::uint64_t order;
    Id id;
    friend auto operator<=>(const Place&, const Place&) = default;
  };

  static Place place(Id id, const Timer& timer) {
    return {timer.deadline, timer.never, timer.order, id};
  }
  const Place& first() const { return *by_deadline_.begin(); }
  bool is_due(const Timer& timer) const { return timer.deadline <= now_ && !timer.never; }

  Promises promises_;
  Tick now_ = 0;
  std::uint64_t next_order_ = 0;
  std::unordered_map<Id, Timer> timers_;
  std::set<Place> by_deadline_;
  std::size_t maybe_late_ = 0;
  std::size_t waking_often_ = 0;
};

}  // namespace timers::conformance
