#pragma once

/// A task of a ScheduledThreadPool that has a future, and its outcome.
///
/// The outcome of a task is settled once: it returned, it threw, or it was cancelled. A periodic
/// task never returns. Once it is settled the node needs no pool, so it may outlive the pool.
///
///     get                                 waits on a parker of its own
///     cancel                              O(log n) for n tasks in the pool
///     is_done, is_cancelled, get_delay    O(1)
///
/// Lock order: first the node, then the pool. The pool holds no lock when it calls a node.

#include <boost/smart_ptr/intrusive_ptr.hpp>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

#include "impls/clocks/clock.hpp"
#include "impls/clocks/instant.hpp"
#include "impls/services/parts/repetition.hpp"
#include "impls/services/parts/scheduled_node.hpp"
#include "impls/timer_service.hpp"
#include "impls/timer_task.hpp"

namespace timers {

/// What `get` throws when the task was cancelled.
class CancelledTask : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A task without a result: its future tells only how it ended. `Pool` has `revoke(node)`, which
/// cancels the node in the pool.
template <Clock ClockType, class Pool>
class FutureNode : public ScheduledNode {
 public:
  FutureNode(TimerTask&& task, Pool& pool, ClockType& clock, Instant deadline,
             const std::optional<Repetition>& repetition)
      : ScheduledNode(std::move(task)),
        clock_(clock),
        repetition_(repetition),
        deadline_(deadline),
        pool_(&pool) {}

  void get() {
    typename ClockType::Parker parker(clock_);
    std::unique_lock lock(mutex_);
    if (outcome_ == Outcome::none) {
      waiters_.push_back(&parker);
      lock.unlock();
      parker.park();
      lock.lock();
    }
    if (outcome_ == Outcome::threw) std::rethrow_exception(error_);
    if (outcome_ == Outcome::cancelled) throw CancelledTask("the task was cancelled");
  }

  bool cancel() {
    bool never_started = false;
    {
      const std::lock_guard lock(mutex_);
      if (outcome_ != Outcome::none) return false;
      if (pool_ != nullptr) never_started = pool_->revoke(*this) == CancelResult::cancelled;
      settle_as(Outcome::cancelled);
    }
    if (never_started) finish();
    return true;
  }

  bool is_done() const {
    const std::lock_guard lock(mutex_);
    return outcome_ != Outcome::none;
  }

  bool is_cancelled() const {
    const std::lock_guard lock(mutex_);
    return outcome_ == Outcome::cancelled;
  }

  Duration get_delay() const {
    const std::lock_guard lock(mutex_);
    return span(clock_.now(), deadline_);
  }

  void operator()() override {
    try {
      ScheduledNode::operator()();
    } catch (...) {
      error_ = std::current_exception();
    }
  }

  bool repeats() const override { return repetition_.has_value(); }

  std::optional<Instant> next_deadline() override {
    if (!repetition_ || error_) return std::nullopt;
    const Instant ended = clock_.now();
    const std::lock_guard lock(mutex_);
    deadline_ = repetition_->next(deadline_, /*started=*/ended, ended);
    return deadline_;
  }

  /// A periodic task that ends without an exception was cancelled.
  void complete() override {
    finish();
    settle(error_ ? Outcome::threw : repetition_ ? Outcome::cancelled : Outcome::returned);
  }

  void abandon() override {
    finish();
    settle(Outcome::cancelled);
  }

  /// Returns a task that still settles this future. It counts as started, so that nobody else gets
  /// it, but it is neither done nor cancelled.
  TimerTask give_back() override {
    boost::intrusive_ptr<FutureNode> share(this, /*add_ref=*/false);
    const std::lock_guard lock(mutex_);
    pool_ = nullptr;
    if (!start()) return {};
    return GivenBack(std::move(share));
  }

 private:
  enum class Outcome : std::uint8_t { none, returned, threw, cancelled };

  /// Runs the task, if it was not cancelled meanwhile. Its destructor cancels the task.
  class GivenBack {
   public:
    explicit GivenBack(boost::intrusive_ptr<FutureNode> node) : node_(std::move(node)) {}
    GivenBack(GivenBack&&) noexcept = default;
    GivenBack& operator=(GivenBack&&) = delete;
    ~GivenBack() {
      if (node_) node_->abandon();
    }

    void operator()() {
      if (node_->is_done()) return;
      (*node_)();
      if (!node_->next_deadline()) node_->complete();
    }

   private:
    boost::intrusive_ptr<FutureNode> node_;
  };

  void destroy() noexcept override { delete this; }

  void settle(Outcome outcome) {
    const std::lock_guard lock(mutex_);
    if (outcome_ == Outcome::none) settle_as(outcome);
  }

  void settle_as(Outcome outcome) {
    outcome_ = outcome;
    pool_ = nullptr;
    for (auto* waiter : std::exchange(waiters_, {})) waiter->unpark();
  }

  ClockType& clock_;
  const std::optional<Repetition> repetition_;
  std::exception_ptr error_;  // only for the running thread, until the outcome is settled

  mutable std::mutex mutex_;  // guards the rest
  Outcome outcome_ = Outcome::none;
  Instant deadline_;
  Pool* pool_;  // nullptr when the pool no longer has the node: then the pool may be gone
  std::vector<typename ClockType::Parker*> waiters_;
};

/// A task with a result.
template <class Result, Clock ClockType, class Pool>
class ResultNode final : public FutureNode<ClockType, Pool> {
 public:
  template <class Function, class... Terms>
  explicit ResultNode(Function function, Terms&&... terms)
      : FutureNode<ClockType, Pool>(
            [this, function = std::move(function)]() mutable {
              result_.emplace(std::invoke(function));
            },
            std::forward<Terms>(terms)...) {}

  const Result& get() {
    FutureNode<ClockType, Pool>::get();
    return *result_;
  }

 private:
  std::optional<Result> result_;
};

}  // namespace timers
