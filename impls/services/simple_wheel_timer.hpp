#pragma once

/// An array of lists: each tick visits the next list, and runs what is due in it.
///
/// The wheel that everybody writes first: scheme 6 of Varghese & Lauck (hashing, with unsorted
/// lists), driven by the fixed rate of a ScheduledThreadPool. A timer stands in bucket `deadline
/// mod buckets` and knows how many turns are left: the number of visits to its bucket before the
/// one that runs it. On ten buckets of a second each, timers of 3 s and 13 s share bucket 3: the
/// visit at 3 s runs the first timer, and counts the second one down.
///
/// As commonly written it is wrong in three ways.
///   - Nothing keeps a thread that schedules and the thread that visits from changing a list at
///     the same time.
///   - `turns = (current + delay) / buckets` counts a turn too many where the sum passes the size:
///     from bucket 8 of ten, a timer of 5 goes to bucket 3, which is 5 ticks away, and runs after
///     15. `delay / buckets` is wrong, too: a timer of 10 would run after 20.
///   - A delay counts from the last tick. So a timer is early by the time since then.
/// Here a mutex guards the lists. A deadline counts from the clock's time, and is rounded up to a
/// tick. If that tick is n ticks away, (n - 1) / buckets turns come before it.
///
///     schedule    O(1)
///     cancel      O(1)
///     a tick      O(n) for n timers in its bucket, on whatever turn they are
///     pending     O(1)
///
/// Choose it to see how a wheel works, or to measure what the better ones gain. It has four
/// weaknesses. It wakes for each tick, also when nothing is due. A long delay is counted down at
/// each turn. A slow task makes the others late. All threads wait for one mutex.

#include <algorithm>
#include <boost/intrusive/list.hpp>
#include <chrono>
#include <cstddef>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

#include "impls/clocks/clock.hpp"
#include "impls/clocks/instant.hpp"
#include "impls/services/parts/left_in_child.hpp"
#include "impls/services/parts/task_runner.hpp"
#include "impls/services/parts/tasks_left.hpp"
#include "impls/services/parts/ticks.hpp"
#include "impls/services/parts/timer_node.hpp"
#include "impls/services/scheduled_thread_pool.hpp"
#include "impls/timer_queue.hpp"
#include "impls/timer_service.hpp"

namespace timers {

struct SimpleWheelTimerOptions {
  /// How long a tick is. A timer runs at the first tick that is not before its deadline.
  Duration tick_duration = std::chrono::milliseconds(100);
  /// How many ticks a turn has. With few buckets lists are long, with many most are empty.
  std::size_t buckets = 512;
  /// Gets what a task throws.
  ErrorHandler on_error = print_error;
};

template <Clock ClockType>
class SimpleWheelTimer {
  struct Node;

 public:
  static constexpr const char* name = "simple_wheel_timer";
  using Options = SimpleWheelTimerOptions;
  using Handle = boost::intrusive_ptr<Node>;

  /// It wakes at each tick.
  static std::size_t max_idle_wakes(Duration delay) {
    return static_cast<std::size_t>(delay / Options().tick_duration) + 1;
  }

  /// Ticks count from now. Throws std::invalid_argument if no time passes in a tick, or there are
  /// no buckets, and std::system_error if there is no thread to be had.
  explicit SimpleWheelTimer(ClockType& clock, Options options = {})
      : clock_(clock),
        ticks_(clock.now(), options.tick_duration),
        runner_(std::move(options.on_error)),
        buckets_(checked(options.buckets)),
        pool_(std::in_place, clock) {
    pool_->schedule_at_fixed_rate(ticks_.length(), ticks_.length(), [this] { visit_next(); });
  }
  SimpleWheelTimer(const SimpleWheelTimer&) = delete;
  SimpleWheelTimer& operator=(const SimpleWheelTimer&) = delete;
  ~SimpleWheelTimer() {
    if (buckets_.is_left()) return;
    end();
    take_all(DroppedTasks());
  }

  /// Runs `task` at the first tick that is at least `delay` from now, after the tasks that came
  /// before. Throws std::invalid_argument without a task, and RejectedTask after a stop.
  Handle schedule(Delay delay, TimerTask task) {
    require_task(task);
    Node* const node = Node::make(std::move(task));
    Handle handle = node->adopt();
    Handle share = node->adopt();
    const Instant deadline = deadline_after(clock_.now(), delay);
    const std::lock_guard lock(mutex_);
    if (stopped_) refuse_stopped();
    const Tick tick = std::max(ticks_.not_before(deadline), hand_ + 1);
    node->turns = (tick - hand_ - 1) / buckets_->size();
    (*buckets_)[tick % buckets_->size()].push_back(*share.detach());
    ++pending_;
    return handle;
  }

  CancelResult cancel(const Handle& handle) {
    if (!handle) return CancelResult::gone;
    Node& node = *handle;  // `handle` may belong to the task, which is about to be moved.
    TimerTask dies_last;
    const CancelResult result = node.cancel(dies_last);
    if (result != CancelResult::cancelled) return result;
    const std::lock_guard lock(mutex_);
    --pending_;
    if (node.is_linked()) take(node);
    return CancelResult::cancelled;
  }

  std::size_t pending() const {
    const std::lock_guard lock(mutex_);
    return pending_;
  }

  Duration max_lateness() const { return ticks_.length(); }

  /// As in all services. It also returns tasks that are due in the same tick as the task that runs.
  /// O(n) and a visit of all buckets.
  std::vector<TimerTask> stop() {
    end();
    KeptTasks never_ran;
    take_all(never_ran);
    return std::move(never_ran.tasks);
  }

 private:
  using AutoUnlink = boost::intrusive::link_mode<boost::intrusive::auto_unlink>;

  struct Node : TimerNode<Node>, boost::intrusive::list_base_hook<AutoUnlink> {
    explicit Node(TimerTask&& task) noexcept : TimerNode<Node>(std::move(task)) {}

    Tick turns = 0;  // how many visits to its bucket come before the visit that runs it
  };

  /// Owns the service's share in each of its nodes.
  using Bucket = boost::intrusive::list<Node, boost::intrusive::constant_time_size<false>>;

  static std::size_t checked(std::size_t buckets) {
    if (buckets > 0) return buckets;
    throw std::invalid_argument("a wheel needs at least 1 bucket, and has 0");
  }

  /// Takes a node out of its list, and returns the share that the list had.
  static Handle take(Node& node) {
    node.unlink();
    return node.adopt();
  }

  /// What the pool runs at each tick.
  void visit_next() {
    std::unique_lock lock(mutex_);
    ++hand_;
    Bucket& bucket = (*buckets_)[hand_ % buckets_->size()];
    for (auto next = bucket.begin(); next != bucket.end();) {
      const auto timer = next++;
      if (timer->turns > 0) {
        --timer->turns;
      } else {
        due_->splice(due_->end(), bucket, timer);
      }
    }
    while (!due_->empty() && !stopped_) {
      const Handle timer = take(due_->front());
      if (!timer->start()) continue;
      --pending_;
      lock.unlock();
      runner_.run_last(*timer);
      lock.lock();
    }
  }

  /// Accepts nothing more, and ends the thread.
  void end() {
    runner_.refuse_from_task("stop");
    {
      const std::lock_guard lock(mutex_);
      stopped_ = true;
    }
    const std::lock_guard only_one_joins(joining_);
    pool_.reset();
  }

  /// Takes all tasks that never ran. Holds no lock while the sink has a task.
  template <class Sink>
  void take_all(Sink&& sink) {
    sink.expect(pending());
    take_all_of(*due_, sink);
    for (Bucket& bucket : *buckets_) take_all_of(bucket, sink);
  }

  template <class Sink>
  void take_all_of(Bucket& bucket, Sink& sink) {
    for (;;) {
      TimerTask task;
      {
        const std::lock_guard lock(mutex_);
        if (bucket.empty()) return;
        task = take(bucket.front())->withdraw();
        if (task) --pending_;
      }
      if (task) sink.take(std::move(task));
    }
  }

  ClockType& clock_;
  const Ticks ticks_;
  const TaskRunner runner_;

  mutable std::mutex mutex_;  // guards the rest
  LeftInChild<std::vector<Bucket>> buckets_;
  Tick hand_ = 0;            // the tick that was visited last
  LeftInChild<Bucket> due_;  // the timers of that tick that have not started yet
  std::size_t pending_ = 0;
  bool stopped_ = false;

  std::mutex joining_;
  std::optional<ScheduledThreadPool<ClockType>> pool_;  // its thread uses all other members
};

}  // namespace timers
