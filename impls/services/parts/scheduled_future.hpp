#pragma once

/// What came of a task that a ScheduledThreadPool took, or is yet to come:
/// java.util.concurrent.ScheduledFuture, and the nodes that the pool and its futures share.
///
/// What comes of a task is settled once: it returned, it threw, or it was cancelled. A periodic
/// task never returns. A future is good for ever, also when its pool is no more; but then a task
/// that never ran will not, and `get` waits for as long as somebody has it from `shutdown_now`.
///
///     get                              waits on a parker of its own
///     cancel                           O(log n) for n tasks in the pool
///     is_done, is_cancelled, get_delay O(1)
///
/// Locks are taken in the order node, pool. The pool calls a node without its own.

#include <boost/smart_ptr/intrusive_ptr.hpp>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <vector>

#include "impls/clocks/clock.hpp"
#include "impls/services/parts/repetition.hpp"
#include "impls/services/parts/scheduled_queue.hpp"
#include "impls/timer_service.hpp"

namespace timers {

/// What `get` throws when the task was cancelled.
class CancelledTask : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

template <Clock ClockType>
class ScheduledThreadPool;

/// A task whose future is asked for nothing but its end.
template <Clock ClockType>
class FutureNode : public ScheduledNode {
 public:
  using Pool = ScheduledThreadPool<ClockType>;

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

  /// If a periodic task ends and did not throw, it was cancelled.
  void complete() override {
    finish();
    settle(error_ ? Outcome::threw : repetition_ ? Outcome::cancelled : Outcome::returned);
  }

  void abandon() override {
    finish();
    settle(Outcome::cancelled);
  }

  /// The task comes back as one that still settles this future. It counts as started, so that
  /// nobody else has it; but it is neither done nor cancelled.
  TimerTask give_back() override {
    boost::intrusive_ptr<FutureNode> share(this, /*add_ref=*/false);
    const std::lock_guard lock(mutex_);
    pool_ = nullptr;
    if (!start()) return {};
    return GivenBack(std::move(share));
  }

 private:
  enum class Outcome : std::uint8_t { none, returned, threw, cancelled };

  /// Runs the task, if it was not cancelled meanwhile. To drop it cancels the task.
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
  std::exception_ptr error_;  // the running thread's, until it is settled

  mutable std::mutex mutex_;  // guards the rest
  Outcome outcome_ = Outcome::none;
  Instant deadline_;
  Pool* pool_;  // nullptr when it is not the pool's any more: so the pool may go
  std::vector<typename ClockType::Parker*> waiters_;
};

/// A task with a result.
template <class Result, Clock ClockType>
class ResultNode final : public FutureNode<ClockType> {
 public:
  template <class Function, class... Terms>
  explicit ResultNode(Function function, Terms&&... terms)
      : FutureNode<ClockType>(
            [this, function = std::move(function)]() mutable {
              result_.emplace(std::invoke(function));
            },
            std::forward<Terms>(terms)...) {}

  const Result& get() {
    FutureNode<ClockType>::get();
    return *result_;
  }

 private:
  std::optional<Result> result_;
};

/// A share in what comes of a task. Copies ask about the same task.
template <class Result, Clock ClockType>
class ScheduledFuture {
 public:
  using Node = std::conditional_t<std::is_void_v<Result>, FutureNode<ClockType>,
                                  ResultNode<Result, ClockType>>;

  /// For the pool: takes one of the two shares that the node was born with.
  explicit ScheduledFuture(Node* born) : node_(born, /*add_ref=*/false) {}

  /// Waits until the task is done. Returns its result, which stays good as long as a future of the
  /// task; rethrows what it threw; throws CancelledTask if it was cancelled. In a task of a pool
  /// this occupies a thread, perhaps the one that the other task needs.
  decltype(auto) get() const { return node_->get(); }

  /// Keeps the task from starting, or from starting again, and returns true, also while it runs.
  /// False if it was done already.
  bool cancel() const {
    // The future may belong to the task, which dies in there.
    const boost::intrusive_ptr<Node> share = node_;
    return share->cancel();
  }

  /// Whether the task returned, threw or was cancelled. One that is cancelled while it runs is done
  /// at once, and goes on to its end.
  bool is_done() const { return node_->is_done(); }

  bool is_cancelled() const { return node_->is_cancelled(); }

  /// How long it is until the task is due, or will be again; negative if it should have started.
  Duration get_delay() const { return node_->get_delay(); }

 private:
  boost::intrusive_ptr<Node> node_;
};

}  // namespace timers
