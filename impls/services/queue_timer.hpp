#pragma once

/// Makes a timer service of any timer queue: producers leave their timers in an inbox without a
/// lock, and one thread owns the queue.
///
/// Scheduling makes a node and pushes it into the inbox; cancelling changes the state in the node.
/// Neither touches the queue or takes a lock. A call wakes the thread only if its timer is the
/// earliest of all, or if it leaves the 16384th node in the inbox. To put a timer off, a caller
/// moves the deadline in the node. The thread sees it at the old deadline, and files the timer
/// anew. The thread files what has arrived, runs what is due, and sleeps until the queue's next
/// expiry. So it costs nothing while nothing is due, and a timer costs what the queue costs. Netty
/// was the first with the inbox (HashedWheelTimer, 2012), Tokio and bRPC were the first with a
/// thread that sleeps until the next expiry.
///
///     schedule    O(1): the clock, an allocation, two atomic operations; a futex call if it is the
///                 earliest, or the 16384th that waits in the inbox
///     cancel      O(1): two atomic operations, and a third if the timer is in the queue by then
///     re-arm      O(1): the clock and one atomic operation. To an earlier deadline: also a push to
///                 the inbox. To the earliest of all: also a futex call
///     a run       what `insert` and `expire` of the queue cost
///
/// Choose it when in doubt. It has two weaknesses. Tasks run one after the other on its thread, so
/// a slow task makes the others late. A cancelled timer keeps its node until the thread comes by:
/// at the next expiry, or at the 16384th arrival.

#include <atomic>
#include <boost/circular_buffer.hpp>
#include <boost/smart_ptr/intrusive_ptr.hpp>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "impls/clocks/clock.hpp"
#include "impls/clocks/instant.hpp"
#include "impls/services/parts/inbox.hpp"
#include "impls/services/parts/left_in_child.hpp"
#include "impls/services/parts/pending_count.hpp"
#include "impls/services/parts/prefetch.hpp"
#include "impls/services/parts/rearmable_node.hpp"
#include "impls/services/parts/sleeper.hpp"
#include "impls/services/parts/task_runner.hpp"
#include "impls/services/parts/tasks_left.hpp"
#include "impls/services/parts/ticks.hpp"
#include "impls/services/parts/trail.hpp"
#include "impls/timer_queue.hpp"
#include "impls/timer_service.hpp"

namespace timers {

struct QueueTimerOptions {
  static constexpr Duration kDefaultTick = std::chrono::microseconds(100);

  /// The length of a tick of the queue. A deadline is rounded up to whole ticks. A deadline that is
  /// 2^59 - 1 ticks or more after the start of the service never comes.
  Duration tick_duration = kDefaultTick;
  /// How many timers may be pending.
  std::size_t max_pending = PendingCount::kUnlimited;
  ErrorHandler on_error = print_error;
};

/// The same type of queue as `Queue`, with tasks of another type.
template <class Queue, class Task>
struct QueueOf;
template <template <class, class...> class Queue, class Old, class... Types, class Task>
struct QueueOf<Queue<Old, Types...>, Task> {
  using Type = Queue<Task, Types...>;
};
template <template <class, auto...> class Queue, class Old, auto... values, class Task>
requires(sizeof...(values) > 0) struct QueueOf<Queue<Old, values...>, Task> {
  using Type = Queue<Task, values...>;
};

/// `Model` is a queue that is never late, bears it when memory runs out, and reaches to the end of
/// time, such as HierarchicalWheel<TimerTask>. The type of its task does not matter.
template <class Model, Clock ClockType = SteadyClock>
class QueueTimer {
  struct Node;
  using Queue = typename QueueOf<Model, Node*>::Type;

 public:
  using Options = QueueTimerOptions;
  using Handle = boost::intrusive_ptr<Node>;
  static inline const std::string name = "queue_timer_" + std::string(Queue::name);
  static constexpr bool fifo = promises_of<Queue>().fifo;
  /// A timer that was put off is filed again at its old deadline, behind timers that came later.
  static constexpr bool rearms_in_turn = false;

  /// Where the queue tells the next expiry early, the thread wakes for nothing.
  static constexpr std::size_t max_idle_wakes(Duration delay) {
    const auto ticks = static_cast<Tick>(delay / Options::kDefaultTick) + 1;
    return promises_of<Queue>().max_wakes(ticks);
  }

  /// Starts the thread. Throws std::invalid_argument if no time passes in a tick, and
  /// std::system_error if there is no thread to be had.
  explicit QueueTimer(ClockType& clock, Options options = {})
      : clock_(clock),
        ticks_(clock.now(), options.tick_duration),
        runner_(std::move(options.on_error)),
        pending_(options.max_pending),
        sleeper_(clock) {
    static_assert(TimerQueue<Queue> && HasNextExpiry<Queue> && CanLimitExpire<Queue>);
    static_assert(
        !requires { Queue::max_lateness(Tick{}); }, "max_lateness() of the service is one tick");
    static_assert(promises_of<Queue>().bears_bad_alloc, "the service loses no timer");
    static_assert(promises_of<Queue>().last_tick == kEndOfTime,
                  "a stop expires to the end of time");
    static_assert(HasTrail<Node>);
    driver_->emplace(clock, [this] { drive(); });
  }

  ~QueueTimer() {
    if (queue_.is_left()) return;
    runner_.refuse_from_task("stop");
    end();
    std::exchange(never_ran_->tasks, {}).clear();
    take_all(DroppedTasks());
  }

  Handle schedule(Delay delay, TimerTask task) {
    require_task(task);
    if (is_stopped()) refuse_stopped();
    const Tick deadline = deadline_in(delay);
    Node* const node = Node::make(std::move(task), deadline);
    Handle handle = node->adopt();
    Handle share = node->adopt();
    pending_.add();
    const std::size_t waiting = inbox_.push(node);
    if (waiting == 0) {
      pending_.remove();
      refuse_stopped();
    }
    share.detach();
    sleeper_.wake_for(deadline, waiting);
    return handle;
  }

  CancelResult cancel(const Handle& handle) {
    if (!handle) return CancelResult::gone;
    Node& node = *handle;  // `handle` may belong to the task, which is about to be moved.
    TimerTask dies_last;
    const Recalled recalled = node.recall(dies_last);
    if (recalled.result == CancelResult::cancelled) {
      pending_.remove();
      if (recalled.sends) {
        node.keep_trail();
        wake_for(kEndOfTime, send(node));
      }
    }
    return recalled.result;
  }

  bool rearm(const Handle& handle, Delay delay) {
    if (!handle || is_stopped()) return false;
    const Rearmed rearmed = handle->rearm(deadline_in(delay));
    // A caller that sends the node wakes the thread for all who brought the timer nearer before. If
    // the node is on its way, the thread may have it with a later deadline, and must wake, too.
    if (rearmed.is_nearer) {
      const std::size_t waiting = rearmed.sends ? send(*handle) : 1;
      wake_for(handle->latest_deadline(), waiting);
    }
    return rearmed.was_pending;
  }

  std::size_t pending() const { return pending_.get(); }

  Duration max_lateness() const { return ticks_.length(); }

  std::vector<TimerTask> stop() {
    runner_.refuse_from_task("stop");
    const std::lock_guard one_at_a_time(stopping_);
    end();
    take_all(*never_ran_);
    return std::exchange(never_ran_->tasks, {});
  }

 private:
  static constexpr std::size_t kCollectedAtOnce = 16;

  /// The service holds its share of a node from the inbox on until the timer is done. It holds the
  /// share of a cancelled timer until the node is out of the queue.
  struct Node : RearmableNode<Node, Trail> {
    using RearmableNode<Node, Trail>::RearmableNode;

    /// For the caller that cancelled the timer and will send the node.
    void keep_trail() { trail().let_node_keep_it(); }

    void lead_to(std::uintptr_t earlier) {
      if (trail().is_kept_by_node()) {
        this->keep(earlier);
      } else {
        trail().lead(address(), earlier);
      }
    }
    void prefetch_ahead() {
      const bool is_kept = trail().is_kept_by_node();
      prefetch_from_other_core<Node>(is_kept ? this->kept() : trail().end(address()));
    }
    std::uintptr_t address() const { return reinterpret_cast<std::uintptr_t>(this); }
    Trail& trail() { return this->small_; }

    typename Queue::Handle in_queue{};  // only for the thread; empty while the node is not queued
    Node* next_in_inbox = nullptr;
  };

  bool is_stopped() const { return is_stopped_.load(std::memory_order_relaxed); }

  Tick deadline_in(Delay delay) const {
    return ticks_.not_before(deadline_after(clock_.now(), delay));
  }

  /// Sends a node to the thread, which files it anew or takes it out of the queue. Returns how many
  /// nodes wait in the inbox; 0 if the service was stopped.
  std::size_t send(Node& node) {
    const std::size_t waiting = inbox_.push(&node);
    if (waiting == 0 && node.end_way()) node.adopt();
    return waiting;
  }

  void wake_for(Tick deadline, std::size_t waiting) {
    if (waiting > 0) sleeper_.wake_for(deadline, waiting);
  }

  void drive() {
    while (!is_stopped()) {
      file_arrivals();
      const Tick now = ticks_.not_after(clock_.now());
      run_due(now);
      if (!due_->empty()) return;  // Stopped. A node in `due_` may also be in the inbox.
      const Tick next = arrivals_ != nullptr ? now + 1 : queue_->next_expiry().value_or(kEndOfTime);
      if (next <= now) continue;
      sleeper_.sleep_until(next, ticks_.start_of(next), [this] { return file_arrivals(); });
    }
  }

  /// Files what has arrived. Returns whether it took or filed anything.
  bool file_arrivals() {
    const Node* const left = arrivals_;  // the last time, without memory
    if (left == nullptr) arrivals_ = inbox_.take_all();
    const bool has_taken = arrivals_ != left;
    file_taken();
    return has_taken || arrivals_ != left;
  }

  /// Files what has left the inbox. If memory runs out, the rest waits for the next tick.
  void file_taken() {
    try {
      while (arrivals_ != nullptr) {
        Node* const next = arrivals_->next_in_inbox;  // others may send the node once it is filed
        file(*arrivals_);
        arrivals_ = next;
      }
    } catch (...) {
      runner_.report(std::current_exception());
    }
  }

  /// Puts a node into the queue where it belongs, or takes it out. If memory runs out, the node is
  /// still on its way.
  void file(Node& node) {
    Tick deadline = 0;
    do {
      deadline = node.deadline();
      if (node.is_pending()) place(node, deadline);
    } while (!node.arrive(deadline));
    if (node.is_pending()) return;
    queue_->cancel(std::exchange(node.in_queue, {}));
    drop(node);
  }

  void place(Node& node, Tick deadline) {
    if constexpr (CanRearm<Queue>) {
      if (queue_->rearm(node.in_queue, deadline)) return;
    } else {
      queue_->cancel(std::exchange(node.in_queue, {}));
    }
    node.in_queue = queue_->insert(deadline, &node);
  }

  /// Gives up a timer that is done or cancelled, and not in the queue.
  void drop(Node& node) {
    if (node.leave()) node.adopt();
  }

  void run_due(Tick now) {
    while (!is_stopped() && collect_due(now) > 0) {
      while (!due_->empty() && !is_stopped()) {
        Node& node = first_due();
        node.in_queue = {};
        run(node, now);
      }
      if (due_->empty()) file_taken();  // a node of `due_` must not be filed
    }
  }

  /// Takes the first node out of `due_`.
  Node& first_due() {
    Node& node = *due_->front();
    due_->pop_front();
    return node;
  }

  void run(Node& node, Tick now) {
    switch (node.start(now)) {
      case Start::runs:
        pending_.remove();
        runner_.run_last(node);
        return drop(node);
      case Start::put_off:
        return arrive_soon(node);
      case Start::never:
        return drop(node);
    }
  }

  /// Adds a node that was put off to the arrivals, unless somebody has sent it already.
  void arrive_soon(Node& node) {
    if (!node.set_out()) return;
    node.next_in_inbox = std::exchange(arrivals_, &node);
  }

  /// Takes some timers out of the queue before any of them runs, so that the memory of all of them
  /// is fetched at once. Returns how many it took.
  std::size_t collect_due(Tick now) {
    const auto collect = [this](Tick, Node* node) {
      prefetch(*node);
      due_->push_back(node);
    };
    return queue_->expire(now, collect, kCollectedAtOnce);
  }

  /// Accepts nothing more, and ends the thread.
  void end() {
    is_stopped_.store(true, std::memory_order_relaxed);
    sleeper_.wake();
    driver_->reset();
  }

  /// Takes all tasks that never ran. If memory runs out in the middle, the sink has some of them. A
  /// task that dies may stop the service once more: each node is out of its list before.
  template <class Sink>
  void take_all(Sink&& sink) {
    sink.expect(pending());
    const auto take = [&](Tick, Node* node) {
      TimerTask task = withdraw(*node);
      node->in_queue = {};
      drop(*node);
      if (task) sink.take(std::move(task));
    };
    while (!due_->empty()) take(kEndOfTime, &first_due());
    queue_->expire(kEndOfTime, take);

    Node** end = &arrivals_;
    while (*end != nullptr) end = &(*end)->next_in_inbox;
    *end = inbox_.close();
    sink.expect(pending());
    while (arrivals_ != nullptr) {
      Node* const node = std::exchange(arrivals_, arrivals_->next_in_inbox);
      node->end_way();
      // If a task that died has cancelled this timer and stopped the service, it is in the queue.
      queue_->cancel(std::exchange(node->in_queue, {}));
      take(kEndOfTime, node);
    }
  }

  /// The task of a timer that is pending; otherwise none.
  TimerTask withdraw(Node& node) {
    TimerTask task = node.withdraw();
    if (task) pending_.remove();
    return task;
  }

  ClockType& clock_;
  const Ticks ticks_;
  const TaskRunner runner_;
  std::atomic<bool> is_stopped_ = false;

  // All threads write to these, in cache lines of their own.
  alignas(64) Inbox<Node> inbox_;
  PendingCount pending_;
  alignas(64) Sleeper<ClockType> sleeper_;

  // Only for the thread.
  alignas(64) LeftInChild<Queue> queue_;
  Node* arrivals_ = nullptr;  // have left the inbox, and are not in the queue yet
  LeftInChild<boost::circular_buffer<Node*>> due_{kCollectedAtOnce};  // out of the queue, run next

  std::mutex stopping_;
  LeftInChild<KeptTasks> never_ran_;  // tasks of a stop that ran out of memory
  LeftInChild<std::optional<typename ClockType::Thread>> driver_;
};

}  // namespace timers
