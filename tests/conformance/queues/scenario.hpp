#pragma once

/// One fresh queue under observation: a test calls the queue through it.
///
/// Timers have numbers that the test chooses, one for each timer. The scenario keeps a log of what
/// ran and when. After every call it compares the queue with a ledger of its own: the result of a
/// cancel, size and next_expiry, which timers may run and in which order. So a test states only the
/// behaviour that it is about. When a test fails, the scenario prints what was done. A scenario in
/// which nothing happened is a failure.

#include <gtest/gtest.h>

#include <cstddef>
#include <exception>
#include <functional>
#include <iosfwd>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "impls/timer_queue.hpp"
#include "tests/conformance/basic_sentence.hpp"
#include "tests/conformance/journal.hpp"
#include "tests/conformance/objection.hpp"
#include "tests/conformance/queues/any_queue.hpp"
#include "tests/conformance/queues/ledger.hpp"
#include "tests/conformance/queues/needs.hpp"

namespace timers::conformance {

/// Timer `id`, due at `deadline`, ran in the call that moved time to `now`.
struct Expiry {
  Id id;
  Tick deadline;
  Tick now;
  friend bool operator==(const Expiry&, const Expiry&) = default;
};
std::ostream& operator<<(std::ostream& out, const Expiry& expiry);

class Scenario final : private DestructionWitness {
 public:
  /// A queue whose time was moved to `start`.
  explicit Scenario(const QueueKind& kind, Tick start = 0);
  ~Scenario();
  Scenario(const Scenario&) = delete;
  Scenario& operator=(const Scenario&) = delete;

  /// The verbs. A delay counts from now, and is cut off at the end of time.
  void insert(Id id, Tick deadline);
  void insert_in(Id id, Tick delay) { insert(id, from_now(delay)); }
  bool cancel(Id id);
  bool rearm(Id id, Tick deadline);
  bool rearm_in(Id id, Tick delay) { return rearm(id, from_now(delay)); }
  std::size_t expire(Tick now);
  std::size_t expire(Tick now, std::size_t limit);
  std::size_t advance(Tick by) { return expire(from_now(by)); }

  /// For timers that stay.
  void make(Id id);
  /// The same for an owner that exists: `Timer owner; owner = queue.make(task);`
  void make_for_owner_of_nothing(Id id);
  bool arm(Id id, Tick deadline);
  bool disarm(Id id);
  void drop(Id id);
  /// Move-assigns the owner of timer `kept` to the owner of timer `dropped`, and so drops the
  /// latter.
  void drop_for(Id dropped, Id kept);
  /// Assigns an owner of nothing to the owner of a timer, and so drops the timer: `owner = {};`
  void drop_for_nothing(Id id);
  /// Looks at the task of a timer, which must be where it was at the last look or run.
  void look_at_task(Id id);

  std::size_t size() const { return queue_->size(); }
  std::optional<Tick> next_expiry() const;
  Tick now() const { return ledger_.now(); }

  /// What a timer does when it runs, once its expiry is in the log.
  void on_expiry(Id id, std::function<void()> callback);
  /// What the destructor of a timer's task does, unless the queue is destroyed. If it throws, the
  /// exception does not leave the destructor. It leaves the call of the queue in which the task
  /// died.
  void on_destruction_of(Id id, std::function<void()> callback);

  /// What ran so far, in order.
  const std::vector<Expiry>& log() const { return log_; }
  /// Whether exactly this ran so far. The order counts as far as the queue promises one.
  testing::AssertionResult ran(const std::vector<Expiry>& expected) const;
  /// The address of the task of a timer that stays, in its last run or at the last look.
  const void* place_of_task(Id id) const { return timers_.at(id).place_of_task; }
  /// How often the task of this timer was destroyed.
  int destroyed(Id id) const { return timers_.at(id).destroyed; }

  /// Cancels and re-arms with the null handle, which names no timer.
  bool cancel_null() { return queue_->cancel(queue_->null_handle()); }
  bool rearm_null(Tick deadline) { return queue_->rearm(queue_->null_handle(), deadline); }
  bool is_null(Id id) const { return queue_->same(timers_.at(id).handle, queue_->null_handle()); }
  bool same_handle(Id one, Id other) const;

  /// Goes on with a queue that was moved from this one.
  void move_queue();
  /// Assigns this queue to another one, which held this timer before, and goes on with the other
  /// one. If the queue has limits, a call of the other one was interrupted at the deadline.
  void assign_queue_over_one_with(Id id, Tick deadline);
  /// The same, but swaps the two queues. After that the timer dies with its queue.
  void swap_queue_with_one_with(Id id, Tick deadline);
  void destroy_queue();

  /// Destroys the queue while its timers have owners, or assigns a fresh queue to it. Goes on with
  /// the fresh one, which has the same address. Only for queues with timers that stay.
  void begin_anew();
  void assign_fresh_queue();

  /// Skip the test unless the queue has an ability or keeps a promise.
  void needs_rearm() const { need_rearm(kind_); }
  void needs_next_expiry() const { need_next_expiry(kind_); }
  void needs_limit() const { need_limit(kind_); }
  void needs_staying_timers() const { need_staying_timers(kind_); }
  void needs_order() const { need_order(kind_); }
  void needs_fifo() const { need_fifo(kind_); }

  const QueueKind& kind() const { return kind_; }
  const Promises& promises() const { return kind_.promises; }

  /// Declares that the test does not state at which tick a timer runs. Without this, the test is
  /// skipped when it sets a timer that the queue may run late.
  void tolerate_lateness() { tolerates_lateness_ = true; }

 private:
  struct Timer {
    AnyQueue::Handle handle;
    std::unique_ptr<AnyQueue::Timer> owner;  // for a timer that stays
    const void* place_of_task = nullptr;
    std::function<void()> on_expiry;
    std::function<void()> on_destruction;
    int destroyed = 0;
  };

  Timer& new_timer(Id id);
  /// Lets the queue report the runs of timers that stay.
  void listen();
  std::unique_ptr<AnyQueue> interrupted_queue_with(Id id, Tick deadline);
  void on_destruction(std::uint64_t id) override;
  void on_overwriting(std::uint64_t id) override;
  Tick from_now(Tick delay) const;
  void need_settable(Tick deadline) const;
  std::size_t observe(Tick now, std::size_t limit, bool limited);
  void record(Tick deadline, const ProbeTask& task);
  /// Checks the answer of a verb, which should be whether the timer was pending.
  void judge(const char* verb, Id id, bool answer, bool was_pending);
  void check();
  void complain(const Objection& objection);
  bool fails_without_complaint() const;

  QueueKind kind_;
  Ledger ledger_;
  Journal journal_;
  const bool had_failed_ = testing::Test::HasFailure();
  std::unordered_map<Id, Timer> timers_;
  std::vector<Expiry> log_;
  std::size_t happenings_ = 0;
  bool tolerates_lateness_ = false;
  bool complained_ = false;

  int destructors_ = 0;         // how many run now, one inside the other
  std::exception_ptr escaped_;  // an exception that a destructor caught, until a call can throw it

  bool passing_ = false;
  std::size_t ran_in_pass_ = 0;
  std::size_t most_in_pass_ = 0;

  std::unique_ptr<AnyQueue> queue_;
};

}  // namespace timers::conformance
