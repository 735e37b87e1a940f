#pragma once

/// A delay queue of timers, and threads that take expired timers out of it and run them.
///
/// Java programs build a timer like this on java.util.concurrent.DelayQueue.
/// (ScheduledThreadPoolExecutor is this idea with a queue made for it.) Scheme 3 of Varghese &
/// Lauck: trees and heaps.
///
/// To find a timer in the queue, a thread would have to look at all of them. So a cancel only takes
/// the task of the timer, and the empty (dead) node stays until the deadline. A cancel that finds a
/// few more dead nodes than pending timers takes all dead nodes out: a sweep.
///
///     schedule    O(log n), O(1) on average in random order; one lock, one allocation
///     cancel      O(1) amortised, without a lock; the one that makes the sweep due is O(n)
///     a run       O(log n), where n includes dead nodes; one lock
///     pending     O(1)
///
/// Choose it for tasks that take their time, or wait: with n threads, n - 1 such tasks delay
/// nobody. It has three weaknesses. All threads share one lock, and a sweep of 100,000 timers holds
/// it for milliseconds. A thread may wake for a cancelled timer. Tasks that are due at the same
/// instant run in the order of the heap.

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <deque>
#include <mutex>
#include <new>
#include <optional>
#include <stdexcept>
#include <stop_token>
#include <utility>
#include <vector>

#include "impls/clocks/clock.hpp"
#include "impls/services/parts/delay_queue.hpp"
#include "impls/services/parts/left_in_child.hpp"
#include "impls/services/parts/prefetch.hpp"
#include "impls/services/parts/task_runner.hpp"
#include "impls/services/parts/tasks_left.hpp"
#include "impls/services/parts/timer_node.hpp"
#include "impls/timer_service.hpp"

namespace timers {

struct DelayQueueTimerOptions {
  /// How many threads run tasks. On a single one a slow task delays those that follow.
  std::size_t threads = 1;
  ErrorHandler on_error = print_error;
};

template <Clock ClockType>
class DelayQueueTimer {
  struct Node;

 public:
  static constexpr const char* name = "delay_queue_timer";
  static constexpr bool fifo = false;  // the order of the heap
  using Handle = typename TimerNode<Node>::Handle;
  using Options = DelayQueueTimerOptions;

  /// Starts the threads. Throws std::invalid_argument if there are to be none.
  explicit DelayQueueTimer(ClockType& clock, Options options = {})
      : runner_(std::move(options.on_error)), queue_(clock) {
    if (options.threads == 0) {
      throw std::invalid_argument("a timer needs at least 1 thread, and got 0");
    }
    try {
      while (threads_->size() < options.threads) {
        threads_->emplace_back(clock, [this] { consume(); });
      }
    } catch (...) {
      stop_.request_stop();
      throw;
    }
  }
  DelayQueueTimer(const DelayQueueTimer&) = delete;
  DelayQueueTimer& operator=(const DelayQueueTimer&) = delete;
  ~DelayQueueTimer() {
    if (queue_.is_left()) return;
    end();
    take_all(DroppedTasks());
  }

  Handle schedule(Delay delay, TimerTask task) {
    require_task(task);
    if (is_stopped()) refuse_stopped();
    Node* const node = Node::make(std::move(task));
    Handle share_of_queue = node->adopt();
    Handle handle = node->adopt();
    pending_.fetch_add(1, std::memory_order_relaxed);
    try {
      queue_->put(std::move(share_of_queue), std::max<Duration>(delay, Duration::zero()));
    } catch (...) {
      withdraw(*node);
      throw;
    }
    // A stop may have found the node meanwhile, and takes its task. If not, this call does.
    if (is_stopped() && withdraw(*node)) refuse_stopped();
    return handle;
  }

  CancelResult cancel(const Handle& handle) {
    if (!handle) return CancelResult::gone;
    Node& node = *handle;  // `handle` may belong to the task, which is about to be moved.
    TimerTask dies_last;
    const CancelResult result = node.cancel(dies_last);
    if (result == CancelResult::cancelled) {
      pending_.fetch_sub(1, std::memory_order_relaxed);
      sweep_if_due();
    }
    return result;
  }

  std::size_t pending() const { return pending_.load(std::memory_order_relaxed); }

  /// A free thread starts a task at its deadline.
  Duration max_lateness() const { return Duration::zero(); }

  std::vector<TimerTask> stop() {
    end();
    KeptTasks never_ran;
    take_all(never_ran);
    return std::move(never_ran.tasks);
  }

 private:
  /// For fewer dead nodes a sweep is not worth its cost.
  static constexpr std::size_t kFewDead = 64;
  static constexpr std::size_t kFetchedAhead = 8;

  struct Node final : TimerNode<Node> {
    using TimerNode<Node>::TimerNode;
  };

  /// What each thread does.
  void consume() {
    const std::stop_token stop = stop_.get_token();
    while (const std::optional<Handle> node = queue_->take(stop)) run(**node);
  }

  void run(Node& node) {
    if (!node.start()) return;
    pending_.fetch_sub(1, std::memory_order_relaxed);
    runner_.run_last(node);
  }

  bool is_stopped() const { return stop_.stop_requested(); }

  /// Accepts nothing more, and ends the threads.
  void end() {
    runner_.refuse_from_task("stop");
    stop_.request_stop();
    const std::lock_guard only_one_joins(joining_);
    threads_->clear();
  }

  template <class Sink>
  void take_all(Sink&& sink) {
    queue_->take_all([&](std::size_t size) { sink.expect(size); },
                     [&](const Handle& node) {
                       if (TimerTask task = withdraw(*node)) sink.take(std::move(task));
                     });
  }

  /// Takes the task of a node that is still pending. Otherwise returns no task.
  TimerTask withdraw(Node& node) {
    TimerTask task = node.withdraw();
    if (task) pending_.fetch_sub(1, std::memory_order_relaxed);
    return task;
  }

  /// Counts a cancelled node, and removes all such nodes when there may be too many.
  void sweep_if_due() {
    std::size_t cancelled = cancelled_.fetch_add(1, std::memory_order_relaxed) + 1;
    if (cancelled <= pending() + kFewDead) return;
    // Fails if another timer was cancelled meanwhile: then the other call of cancel sweeps.
    if (!cancelled_.compare_exchange_strong(cancelled, 0, std::memory_order_relaxed)) return;
    try {
      std::vector<Handle> dead = queue_->take_if(
          [](const Handle& node) noexcept { return node->state() == TimerState::cancelled; });
      // To give up a share writes to the node, so nodes are fetched some turns ahead.
      for (; !dead.empty(); dead.pop_back()) {
        if (dead.size() > kFetchedAhead) prefetch(*dead[dead.size() - 1 - kFetchedAhead]);
      }
    } catch (const std::bad_alloc&) {
      // The dead nodes stay until the next sweep: a cancel does not fail.
    }
  }

  TaskRunner runner_;
  LeftInChild<DelayQueue<Handle, ClockType>> queue_;
  std::stop_source stop_;
  std::atomic<std::size_t> pending_ = 0;
  std::atomic<std::size_t> cancelled_ = 0;  // since the last sweep

  std::mutex joining_;
  LeftInChild<std::deque<typename ClockType::Thread>> threads_;
};

}  // namespace timers
