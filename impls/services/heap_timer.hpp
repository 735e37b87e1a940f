#pragma once

/// One thread sleeps until the first task of a heap is due, and runs it.
///
/// java.util.Timer, which is scheme 3 of Varghese & Lauck behind a mutex. A task is an object that
/// is scheduled once and cancels itself. A cancel only marks the task: its entry stays in the heap
/// until it is the first one there. A new task wakes the thread only if it runs before all others.
///
///     schedule    O(log n), O(1) on average for deadlines in random order; a futex call if the
///                 task is the first one
///     cancel      O(1), without the mutex
///     purge       O(n)
///     a run       O(log n)
///
/// Choose it for up to some thousand quick tasks, for periods, and where deadlines must be exact at
/// any resolution. It has four weaknesses. A slow task makes all others late. All threads that
/// schedule wait for one mutex. A cancelled task takes up memory until its time comes, if nobody
/// purges. Of the tasks of one deadline, the first one runs first, and then the others, roughly in
/// reverse.
///
///     timers::HeapTimer timer(clock);
///     timers::HeapTimerTask heartbeat([] { send_heartbeat(); });
///     timer.schedule_at_fixed_rate(heartbeat, 0s, 1s);
///     heartbeat.cancel();     // true: it would have run again

#include <cstddef>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "impls/clocks/clock.hpp"
#include "impls/clocks/instant.hpp"
#include "impls/parts/position_heap.hpp"
#include "impls/services/parts/heap_timer_node.hpp"
#include "impls/services/parts/heap_timer_task.hpp"
#include "impls/services/parts/left_in_child.hpp"
#include "impls/services/parts/repetition.hpp"
#include "impls/services/parts/task_runner.hpp"
#include "impls/services/parts/tasks_left.hpp"
#include "impls/services/parts/timer_state.hpp"
#include "impls/timer_service.hpp"

namespace timers {

struct HeapTimerOptions {
  /// Gets what a task throws.
  ErrorHandler on_error = print_error;
  /// Whether a task that throws also cancels the timer, and so all other tasks.
  bool ends_on_error = false;
};

template <Clock ClockType>
class HeapTimer {
 public:
  using Options = HeapTimerOptions;
  using Handle = HeapTimerTask;
  static constexpr const char* name = "heap_timer";
  static constexpr bool fifo = false;
  static constexpr bool refuses_negative_delays = true;
  static constexpr bool refuses_endless_delays = true;
  static constexpr bool forgets_cancelled = false;
  static constexpr bool delays_count_from_the_end = false;

  static Options as_in_jdk() { return {.on_error = print_error, .ends_on_error = true}; }

  /// Starts the thread. Throws std::system_error if there is none to be had.
  explicit HeapTimer(ClockType& clock, Options options = {})
      : clock_(clock),
        ends_on_error_(options.ends_on_error),
        runner_(std::move(options.on_error)),
        parker_(clock),
        room_(new HeapTimerNode::Room),
        thread_(std::in_place, clock, [this] { drive(); }) {}
  HeapTimer(const HeapTimer&) = delete;
  HeapTimer& operator=(const HeapTimer&) = delete;
  ~HeapTimer() {
    if (heap_.is_left()) return;
    end();
    take_all(DroppedTasks());
  }

  /// Runs `task` once, `delay` from now.
  ///
  /// Every `schedule` refuses these, in this order:
  ///   - with std::invalid_argument a negative delay, a period in which no time passes, a delay
  ///     that leads to the last instant or beyond, and an instant before the clock's epoch;
  ///   - with RejectedTask any task, once the timer was cancelled or stopped;
  ///   - with std::invalid_argument no task, and a task that was scheduled or cancelled before.
  /// A refusal leaves the task as it was.
  void schedule(const HeapTimerTask& task, Delay delay) { schedule_after(task, delay); }

  /// Runs `task` once, at `time`, which may be in the past. The last instant never comes.
  void schedule(const HeapTimerTask& task, Instant time) { schedule_at(task, time); }

  /// Runs `task` again and again, first `delay` from now, then with a fixed delay: `period` after
  /// the previous run began. If the period leads beyond the last instant, there is no other run.
  void schedule(const HeapTimerTask& task, Delay delay, Delay period) {
    schedule_after(task, delay, Repetition{period, CountsFrom::start});
  }

  /// The same, first at `time`.
  void schedule(const HeapTimerTask& task, Instant time, Delay period) {
    schedule_at(task, time, Repetition{period, CountsFrom::start});
  }

  /// Runs `task` again and again, first `delay` from now, then at a fixed rate: `period` after the
  /// previous run was planned. Runs that are late follow one another at once.
  void schedule_at_fixed_rate(const HeapTimerTask& task, Delay delay, Delay period) {
    schedule_after(task, delay, Repetition{period, CountsFrom::plan});
  }

  /// The same, first at `time`.
  void schedule_at_fixed_rate(const HeapTimerTask& task, Instant time, Delay period) {
    schedule_at(task, time, Repetition{period, CountsFrom::plan});
  }

  /// The `schedule` of all services. It refuses what every `schedule` here refuses.
  Handle schedule(Delay delay, TimerTask task) {
    Handle handle(std::move(task));
    schedule(handle, delay);
    return handle;
  }

  /// The periods of all services. They refuse what `schedule` refuses here.
  Handle schedule_at_fixed_rate(Delay first, Delay period, TimerTask task) {
    Handle handle(std::move(task));
    schedule_at_fixed_rate(handle, first, period);
    return handle;
  }
  Handle schedule_with_fixed_delay(Delay first, Delay delay, TimerTask task) {
    Handle handle(std::move(task));
    schedule(handle, first, delay);
    return handle;
  }

  /// Cancels all tasks, accepts nothing more, and ends the thread. Does not wait: a task that runs
  /// now goes on to its end. A task may make this call. O(n).
  void cancel() {
    close();
    for (const Entry& entry : take_entries(DroppedTasks())) entry.node->cancel();
  }

  /// The `cancel` of all services. It does what `handle.cancel()` does, and reports more.
  CancelResult cancel(const Handle& handle) {
    return handle ? cancel_result_of(handle.node()->cancel()) : CancelResult::gone;
  }

  /// Takes all cancelled tasks out of the heap, and returns how many there were. O(n).
  std::size_t purge() {
    const std::lock_guard lock(mutex_);
    return heap_->remove_if([](const Entry& entry) { return !entry.node->will_run(); });
  }

  /// A task that repeats is pending between its runs, and not during a run.
  std::size_t pending() const { return room_->use_count() - 1; }

  Duration max_lateness() const { return Duration::zero(); }

  /// As in all services. It also returns repeating tasks that wait for another run.
  std::vector<TimerTask> stop() {
    end();
    KeptTasks never_ran;
    take_all(never_ran);
    return std::move(never_ran.tasks);
  }

 private:
  using NodePtr = HeapTimerTask::NodePtr;

  /// Nothing decides ties, so they run in the same order as in java.util.Timer.
  struct Entry {
    Instant deadline;
    NodePtr node;
    bool before(const Entry& other) const { return deadline < other.deadline; }
  };

  static constexpr Instant kNever = Instant::max();

  void schedule_after(const HeapTimerTask& task, Duration delay,
                      const std::optional<Repetition>& repetition = {}) {
    if (delay < Duration::zero()) {
      throw std::invalid_argument("a delay must not be negative, and is " + in_words(delay));
    }
    if (repetition) require_period(repetition->period);
    const Instant deadline = after(clock_.now(), delay);
    if (deadline == kNever) {
      throw std::invalid_argument("a delay must end before the last instant, and is " +
                                  in_words(delay));
    }
    insert(task, deadline, repetition);
  }

  void schedule_at(const HeapTimerTask& task, Instant time,
                   const std::optional<Repetition>& repetition = {}) {
    if (repetition) require_period(repetition->period);
    if (time < Instant{}) {
      throw std::invalid_argument("a task must not be due before the clock's epoch, and is at " +
                                  in_words(time.time_since_epoch()));
    }
    insert(task, time, repetition);
  }

  static std::string in_words(Duration duration) {
    return std::to_string(duration.count()) + " ns";
  }

  void insert(const HeapTimerTask& task, Instant deadline,
              const std::optional<Repetition>& repetition) {
    {
      const std::lock_guard lock(mutex_);
      if (closed_) throw RejectedTask("a timer that was cancelled or stopped takes no task");
      if (!task) throw std::invalid_argument("a timer needs a task, and got none");
      heap_->reserve_one();  // This may throw, so it comes before the task is used up.
      if (!task.node()->schedule(deadline, repetition, room_)) {
        throw std::invalid_argument(
            "a task can be scheduled once, and this one was scheduled or cancelled before");
      }
      heap_->push({deadline, task.node()});
      if (heap_->front().node != task.node()) return;
    }
    parker_.unpark();
  }

  /// From now on no timer comes in, and no run begins.
  void close() {
    {
      const std::lock_guard lock(mutex_);
      closed_ = true;
    }
    parker_.unpark();
  }

  /// The same, and ends the thread.
  void end() {
    runner_.refuse_from_task("stop");
    close();
    const std::lock_guard only_one_joins(joining_);
    thread_->reset();
  }

  /// Takes out all timers, after the sink has made room for their tasks.
  template <class Sink>
  std::vector<Entry> take_entries(Sink&& sink) {
    const std::lock_guard lock(mutex_);
    sink.expect(heap_->size());
    return heap_->take_all();
  }

  template <class Sink>
  void take_all(Sink&& sink) {
    for (const Entry& entry : take_entries(sink)) {
      if (TimerTask task = entry.node->withdraw()) sink.take(std::move(task));
    }
  }

  void drive() {
    std::unique_lock lock(mutex_);
    while (!closed_) {
      if (const NodePtr timer = start_first()) {
        lock.unlock();
        run(*timer);
      } else {
        const Instant next = heap_->empty() ? kNever : heap_->front().deadline;
        lock.unlock();
        park_until(parker_, next);
      }
      lock.lock();
    }
  }

  /// Starts the first timer if it is due, and drops the cancelled ones before it. A cancelled entry
  /// has no task: the thread that cancelled it destroys the task, without the mutex.
  NodePtr start_first() {
    while (!heap_->empty()) {
      const Instant deadline = heap_->front().deadline;
      HeapTimerNode& first = *heap_->front().node;
      if (first.will_run()) {
        const Instant now = clock_.now();
        if (deadline > now || deadline == kNever) return nullptr;
        if (first.start(deadline, now)) return take_first(deadline, now);
      }
      heap_->remove(0);
    }
    return nullptr;
  }

  /// Takes the first timer out or, if it repeats, gives it its next deadline. This comes before the
  /// run, so that the task can be cancelled and purged during it.
  NodePtr take_first(Instant deadline, Instant now) {
    const std::optional<Repetition> repetition = heap_->front().node->repetition();
    if (!repetition) return heap_->remove(0).node;
    NodePtr first = heap_->front().node;
    heap_->replace(0, {repetition->next(deadline, now, now), first});
    return first;
  }

  void run(HeapTimerNode& timer) {
    const TaskRunner::InTask in_task(runner_);  // also where tasks are destroyed
    if (runner_.run(timer) && ends_on_error_) cancel();
    timer.end_run(room_);
  }

  ClockType& clock_;
  const bool ends_on_error_;
  const TaskRunner runner_;
  typename ClockType::Parker parker_;
  const HeapTimerNode::RoomPtr room_;

  std::mutex mutex_;  // guards the next two members
  LeftInChild<PositionHeap<Entry>> heap_;
  bool closed_ = false;

  std::mutex joining_;
  // The last member: the thread uses all others.
  LeftInChild<std::optional<typename ClockType::Thread>> thread_;
};

}  // namespace timers
