#pragma once

/// A timer queue with a model next to it. Each call goes to both. The oracle checks at once what
/// the queue answers, runs and destroys against the contract and the queue's promises. If the time
/// of a queue ends early, all deadlines and times stay within its reach.
///
///     Oracle oracle(kind_of<HashedWheel<ProbeTask>>());
///     const TimerId timer = oracle.insert(10);
///     oracle.expire(9);
///     oracle.cancel(timer);
///     EXPECT_EQ(oracle.objection(), "");

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "impls/timer_queue.hpp"
#include "tests/conformance/queues/any_queue.hpp"
#include "tests/conformance/queues/model.hpp"

namespace timers::conformance {

/// What a callback throws on purpose.
struct CallbackFailure {};

class Oracle : private DestructionWitness {
 public:
  explicit Oracle(const QueueKind& kind) : Oracle(kind, kind.make()) {}
  Oracle(const QueueKind& kind, std::unique_ptr<AnyQueue> queue);
  Oracle(const Oracle&) = delete;
  Oracle& operator=(const Oracle&) = delete;
  virtual ~Oracle();

  TimerId insert(Tick deadline);
  /// Returns what the queue returned.
  bool cancel(TimerId id);
  /// Does nothing if the queue cannot re-arm.
  bool rearm(TimerId id, Tick deadline);
  /// Ends early if a callback throws CallbackFailure, and catches that. If the queue has no limits,
  /// `limit` is ignored.
  void expire(Tick now, std::size_t limit = kNoLimit);
  /// Moves the queue into a second one and back, assigns it to a third, and goes on with the third.
  void move_queue();
  /// Destroys the queue, and with it all tasks that are left.
  void destroy_queue();
  /// Destroys the queue and begins with a fresh one, at 0. No number of a timer is in use after
  /// that.
  void start_over();

  /// Lets a later `insert` use the number of a timer that is not pending. Not for callbacks.
  void forget(TimerId id) { forgotten_.push_back(id); }
  /// From now on `insert` and `rearm` may throw std::bad_alloc, which then changes nothing.
  void expect_bad_alloc() { may_run_out_ = true; }

  /// The first fault, in three lines: the law, what was expected, what was seen. Empty while
  /// nothing is wrong. After the first fault every call does nothing.
  const std::string& objection() const { return objection_; }
  bool content() const { return objection_.empty(); }

  const Model& model() const { return model_; }
  Tick now() const { return model_.now(); }
  bool in_pass() const { return in_pass_; }
  /// The number of inserts, cancels, re-arms and expiries so far.
  std::uint64_t operations() const { return operations_; }

 protected:
  const QueueKind& kind() const { return kind_; }
  /// Called when a timer expires. Does what its callback does. May throw CallbackFailure.
  virtual void timer_expired(TimerId) {}
  /// Called when the task of a timer is destroyed. Does what its destructor does.
  virtual void task_destroyed(TimerId) {}
  /// The name of a timer in messages.
  virtual std::string name_of(TimerId id) const { return "timer " + std::to_string(id); }

 private:
  /// The range in which next_expiry may be, both ticks included; none allows only std::nullopt. And
  /// the law that says so.
  struct Allowed {
    std::string_view law;
    std::optional<Tick> least;
    std::optional<Tick> most;
  };

  struct Task {
    AnyQueue::Handle handle;
    bool accepted = false;
    bool destroyed = false;
  };

  TimerId new_timer();
  void expired(Tick deadline, ProbeTask task);
  void check_expiry(Tick deadline, TimerId id);
  void check_order(Tick deadline, TimerId id);
  void check_pass(std::size_t ran, std::size_t limit, bool threw);
  void check_end_of_pass(std::size_t limit);
  void check_last_task();
  Tick deadline_within_reach(Tick deadline) const;
  Tick now_within_reach(Tick now) const;
  void check_size();
  void check_next_expiry();
  Allowed allowed_next_expiry() const;
  void object(std::string_view law, const std::string& expected, const std::string& seen);
  void on_destruction(std::uint64_t id) override;
  void on_overwriting(std::uint64_t id) override;

  QueueKind kind_;
  bool never_late_;
  bool next_expiry_is_exact_;
  Model model_;
  TieJudge ties_;
  std::vector<Task> tasks_;
  std::vector<TimerId> forgotten_;
  std::size_t living_tasks_ = 0;
  std::uint64_t operations_ = 0;
  std::string objection_;
  bool may_run_out_ = false;
  bool being_destroyed_ = false;

  std::optional<Tick> told_next_;  // the answer of next_expiry, since the last change

  // About the pass that is running, or the last one.
  bool in_pass_ = false;
  bool interrupted_ = false;  // The pass is not over: due timers may be left.
  bool visits_every_tick_ = true;
  std::optional<Tick> told_before_;  // the answer of next_expiry before the pass
  bool callback_threw_ = false;
  std::size_t ran_ = 0;
  Tick last_deadline_ = 0;
  TimerId last_expired_ = 0;

  AnyQueue::OnExpiry on_expiry_;
  std::unique_ptr<AnyQueue> queue_;
};

}  // namespace timers::conformance
