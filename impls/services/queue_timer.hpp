#pragma once

/// Makes a timer service of any timer queue: producers leave their timers in an inbox without a
/// lock, and one thread owns the queue.
///
/// Scheduling allocates a node and pushes it into the inbox; cancelling flips the state in the
/// node. Neither touches the queue, takes a lock or wakes the thread, unless the new timer is the
/// earliest of all. The thread files what has arrived, runs what is due, and sleeps until the
/// queue's next expiry. So it costs nothing while nothing is due, and a timer costs what the queue
/// costs. Netty came first with the inbox (HashedWheelTimer, 2012), Tokio and bRPC with a thread
/// that sleeps to the next expiry.
///
///     schedule    O(1): the clock, an allocation, two atomic operations; a futex call if it is the
///                 earliest, or the 16384th that waits in the inbox
///     cancel      O(1): three atomic operations, and a fourth if the timer is in the queue by then
///     a run       what `insert` and `expire` of the queue cost
///
/// Choose it when in doubt. Its weaknesses: tasks run one after the other on its thread, so that a
/// slow one makes the others late; and a cancelled timer keeps its node until the thread comes by,
/// at the next expiry or the 16384th arrival.

#include <atomic>
#include <boost/circular_buffer.hpp>
#include <chrono>
#include <cstddef>
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
#include "impls/services/parts/sleeper.hpp"
#include "impls/services/parts/task_runner.hpp"
#include "impls/services/parts/tasks_left.hpp"
#include "impls/services/parts/ticks.hpp"
#include "impls/services/parts/timer_node.hpp"
#include "impls/timer_queue.hpp"
#include "impls/timer_service.hpp"

namespace timers {

struct QueueTimerOptions {
  static constexpr Duration kDefaultTick = std::chrono::microseconds(100);

  /// The length of a tick of the queue. A deadline is rounded up to whole ticks.
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

/// `Model` is any queue, such as HierarchicalWheel<TimerTask>; the type of its task does not
/// matter.
template <class Model, Clock ClockType = SteadyClock>
class QueueTimer {
  struct Node;
  using Queue = typename QueueOf<Model, Node*>::Type;

 public:
  using Options = QueueTimerOptions;
  using Handle = typename TimerNode<Node>::Handle;
  static inline const std::string name = "queue_timer_" + std::string(Queue::name);
  static constexpr bool fifo = promises_of<Queue>().fifo;

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
    driver_->emplace(clock, [this] { drive(); });
  }

  ~QueueTimer() {
    if (queue_.is_left()) return;
    runner_.refuse_from_task("stop");
    end();
    never_ran_->tasks.clear();
    take_all(DroppedTasks());
  }

  Handle schedule(Delay delay, TimerTask task) {
    require_task(task);
    if (is_stopped()) refuse_stopped();
    const Tick deadline = ticks_.not_before(deadline_after(clock_.now(), delay));
    auto node = std::make_unique<Node>(std::move(task), deadline);
    pending_.add();
    const std::size_t waiting = inbox_.push(node.get());
    if (waiting == 0) {
      pending_.remove();
      refuse_stopped();
    }
    Handle handle = node.release()->adopt();
    sleeper_.wake_for(deadline, waiting);
    return handle;
  }

  CancelResult cancel(const Handle& handle) {
    if (!handle) return CancelResult::gone;
    Node& node = *handle;  // `handle` may belong to the task, which is about to be moved.
    TimerTask dies_last;
    const CancelResult result = node.cancel(dies_last);
    if (result == CancelResult::cancelled) {
      pending_.remove();
      if (node.whereabouts.exchange(Whereabouts::cancelled) == Whereabouts::in_queue) hand_in(node);
    }
    return result;
  }

  std::size_t pending() const { return pending_.get(); }

  Duration max_lateness() const { return ticks_.length(); }

  std::vector<TimerTask> stop() {
    runner_.refuse_from_task("stop");
    const std::lock_guard one_at_a_time(stopping_mutex_);
    end();
    take_all(*never_ran_);
    return std::exchange(never_ran_->tasks, {});
  }

 private:
  static constexpr std::size_t kCollectedAtOnce = 16;

  enum class Whereabouts : unsigned char { in_inbox, in_queue, cancelled };

  /// The service holds its share of a node from the inbox on until the timer is done. It holds the
  /// share of a cancelled timer until the node is out of the queue.
  struct Node : TimerNode<Node> {
    Node(TimerTask&& task, Tick at) : TimerNode<Node>(std::move(task)), deadline(at) {}

    const Tick deadline;
    std::atomic<Whereabouts> whereabouts = Whereabouts::in_inbox;
    bool filed = false;                 // only for the thread: it has put the node into the queue
    typename Queue::Handle in_queue{};  // only for the thread
    Node* next_in_inbox = nullptr;
  };

  bool is_stopped() const { return stopping_.load(std::memory_order_relaxed); }

  /// Gives the node of a cancelled timer to the thread, which takes it out of the queue.
  void hand_in(Node& node) {
    const std::size_t waiting = inbox_.push(&node);
    if (waiting == 0) {
      node.adopt();
    } else {
      sleeper_.wake_for(kEndOfTime, waiting);
    }
  }

  void drive() {
    while (!is_stopped()) {
      file_arrivals();
      const Tick now = ticks_.not_after(clock_.now());
      run_due(now);
      if (!due_->empty()) return;  // Stopped: what arrives now may be among them.
      const Tick next = arrivals_ != nullptr ? now + 1 : queue_->next_expiry().value_or(kEndOfTime);
      if (next <= now) continue;
      sleeper_.sleep_until(next, ticks_.start_of(next), [this] { return file_arrivals(); });
    }
  }

  /// Puts what has arrived into the queue, and takes cancelled timers out of it. Returns whether
  /// there was anything. If memory runs out, the rest waits for the next tick.
  bool file_arrivals() {
    if (arrivals_ == nullptr) arrivals_ = inbox_.take_all();
    bool any = false;
    try {
      for (; arrivals_ != nullptr; any = true) {
        Node& node = *arrivals_;
        Node* const next = node.next_in_inbox;
        if (node.filed) {
          queue_->cancel(node.in_queue);
          node.adopt();
        } else {
          file(node);
        }
        arrivals_ = next;
      }
    } catch (...) {
      runner_.report(std::current_exception());
    }
    return any;
  }

  void file(Node& node) {
    if (node.whereabouts.load(std::memory_order_relaxed) == Whereabouts::in_inbox) {
      node.in_queue = queue_->insert(node.deadline, &node);
      node.filed = true;
      if (node.whereabouts.exchange(Whereabouts::in_queue) == Whereabouts::in_inbox) return;
      queue_->cancel(node.in_queue);
    }
    node.adopt();
  }

  void run_due(Tick now) {
    while (!is_stopped() && collect_due(now) > 0) {
      while (!due_->empty() && !is_stopped()) {
        Node& node = *due_->front();
        due_->pop_front();
        if (!node.start()) continue;  // Its cancel hands it in.
        pending_.remove();
        runner_.run_last(node);
        node.adopt();
      }
    }
  }

  /// Takes some timers out of the queue before any of them runs, so that the memory of all is
  /// fetched at once. Returns how many.
  std::size_t collect_due(Tick now) {
    const auto collect = [this](Tick, Node* node) {
      prefetch(*node);
      due_->push_back(node);
    };
    return queue_->expire(now, collect, kCollectedAtOnce);
  }

  static void prefetch(const Node& node) {
    const auto* const line = reinterpret_cast<const std::byte*>(&node);
    for (std::size_t i = 0; i < sizeof(Node); i += 64) __builtin_prefetch(line + i, 1);
  }

  /// Accepts nothing more, and ends the thread.
  void end() {
    stopping_.store(true, std::memory_order_relaxed);
    sleeper_.wake();
    driver_->reset();
  }

  /// Takes all tasks that never ran. If memory runs out in the middle, the sink has some of them.
  template <class Sink>
  void take_all(Sink&& sink) {
    sink.expect(pending());
    // As long as the inbox is open, a cancel hands its node in there, and the node lives.
    const auto take_filed = [&](Tick, Node* node) {
      TimerTask task = withdraw(*node);
      if (!task) return;
      node->adopt();
      sink.take(std::move(task));
    };
    for (; !due_->empty(); due_->pop_front()) take_filed(kEndOfTime, due_->front());
    queue_->expire(kEndOfTime, take_filed);

    Node** end = &arrivals_;
    while (*end != nullptr) end = &(*end)->next_in_inbox;
    *end = inbox_.close();
    sink.expect(pending());
    while (arrivals_ != nullptr) {
      Node* const node = std::exchange(arrivals_, arrivals_->next_in_inbox);
      TimerTask task = node->filed ? TimerTask() : withdraw(*node);
      node->adopt();
      if (task) sink.take(std::move(task));
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

  // What all threads write to, in cache lines of its own.
  alignas(64) Inbox<Node> inbox_;
  PendingCount pending_;
  alignas(64) Sleeper<ClockType> sleeper_;
  std::atomic<bool> stopping_ = false;

  // Only for the thread.
  alignas(64) LeftInChild<Queue> queue_;
  Node* arrivals_ = nullptr;  // have left the inbox, and are not in the queue yet
  LeftInChild<boost::circular_buffer<Node*>> due_{kCollectedAtOnce};  // have left it, and run next

  std::mutex stopping_mutex_;
  LeftInChild<KeptTasks> never_ran_;  // found by a stop that ran out of memory
  LeftInChild<std::optional<typename ClockType::Thread>> driver_;
};

}  // namespace timers
