#pragma once

/// One thread sleeps until the first task of a heap is due, and runs it.
///
/// java.util.Timer, which is scheme 3 of Varghese & Lauck behind a mutex. A task is an object that
/// is scheduled once and cancels itself: cancelling marks it, and its entry stays in the heap until
/// it is the first one there. The thread is woken only by a task that is to run before all others.
///
///     schedule    O(log n), O(1) on average for deadlines in random order; a futex call if the
///                 task is the first one
///     cancel      O(1), without the mutex
///     purge       O(n)
///     a run       O(log n)
///
/// Choose it for up to some thousand tasks that are quick, for periods, and where deadlines must be
/// exact at any resolution. Its weaknesses: a slow task makes all others late; all who schedule
/// meet at the mutex; what was cancelled takes up memory until its time comes, if nobody purges;
/// and tasks of one deadline run in an order that is of no use, the first one first and the others
/// roughly in reverse.
///
///     timers::HeapTimer timer(clock);
///     timers::HeapTimerTask heartbeat([] { send_heartbeat(); });
///     timer.schedule_at_fixed_rate(heartbeat, 0s, 1s);
///     heartbeat.cancel();     // true: it would have run again

#include <atomic>
#include <boost/smart_ptr/intrusive_ptr.hpp>
#include <boost/smart_ptr/intrusive_ref_counter.hpp>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "impls/clocks/clock.hpp"
#include "impls/parts/position_heap.hpp"
#include "impls/services/parts/repetition.hpp"
#include "impls/services/parts/task_runner.hpp"
#include "impls/timer_service.hpp"

namespace timers {

/// What a HeapTimerTask and the heap share: the callable, and what has become of it.
///
///     virgin ──> claimed ──> scheduled ──start──> last_run ──end_run──> executed
///                              ^   │                 ^
///                           end_run start            │
///                              │   v                 │
///                             running ────cancel─────┘
///
/// The upper way is that of a task that does not repeat. From the first three states a cancel leads
/// to `cancelled`. Each arrow is one compare-and-set, so that of all who want a timer one gets it.
class HeapTimerNode : public boost::intrusive_ref_counter<HeapTimerNode> {
 public:
  enum class State : std::uint8_t {
    virgin,
    claimed,    ///< Somebody is about to schedule it. One who cancels it now was there before.
    scheduled,  ///< It waits.
    running,    ///< It runs, and will be scheduled again.
    last_run,   ///< It runs, and that is all.
    executed,
    cancelled
  };

  /// A waiting room. Each timer of a service that waits has a share in it, and so has the service:
  /// their number tells how many wait, also when they are cancelled without the service.
  struct Room : boost::intrusive_ref_counter<Room> {};
  using RoomPtr = boost::intrusive_ptr<Room>;

  explicit HeapTimerNode(TimerTask&& task) : task_(std::move(task)) {}

  /// The timer waits. False if it was scheduled or cancelled before.
  bool schedule(Instant deadline, const std::optional<Repetition>& repetition,
                const RoomPtr& room) {
    if (!change(State::virgin, State::claimed)) return false;
    execution_time_.store(deadline, std::memory_order_relaxed);
    repetition_ = repetition;
    return wait(State::claimed, room);
  }

  /// Whether it waits, or will again.
  bool will_run() const {
    const State state = state_.load(std::memory_order_acquire);
    return state == State::scheduled || state == State::running;
  }

  const std::optional<Repetition>& repetition() const { return repetition_; }

  /// A run begins. False if the timer was cancelled.
  bool start(Instant deadline, Instant now) {
    if (!change(State::scheduled, repetition_ ? State::running : State::last_run)) return false;
    room_.reset();
    const bool counts_from_start = repetition_ && repetition_->from == CountsFrom::start;
    execution_time_.store(counts_from_start ? now : deadline, std::memory_order_relaxed);
    return true;
  }

  /// Runs the task. Only after `start`, and by the same thread.
  void operator()() { task_(); }

  /// The run is over. If it was the last one, the task is destroyed.
  void end_run(const RoomPtr& room) {
    if (repetition_ && wait(State::running, room)) return;
    task_ = nullptr;
    state_.store(State::executed, std::memory_order_release);
  }

  /// Cancels the timer, destroys the task if it never runs from now on, and returns the state in
  /// which the timer was.
  State cancel() {
    State found = state_.load(std::memory_order_relaxed);
    while (!state_.compare_exchange_weak(found, after_cancel(found), std::memory_order_acq_rel,
                                         std::memory_order_acquire)) {
    }
    if (found > State::scheduled) return found;
    if (found == State::scheduled) room_.reset();
    // Last of all, because it may hold the last share in this node.
    const TimerTask dies_here = std::move(task_);
    return found;
  }

  /// Takes the task of a timer that waits, which is cancelled by that. Otherwise no task.
  TimerTask withdraw() {
    if (!change(State::scheduled, State::cancelled)) return nullptr;
    room_.reset();
    return std::move(task_);
  }

  Instant execution_time() const { return execution_time_.load(std::memory_order_relaxed); }

 private:
  static State after_cancel(State state) {
    if (state <= State::scheduled) return State::cancelled;
    return state == State::running ? State::last_run : state;
  }

  bool change(State from, State to) {
    return state_.compare_exchange_strong(from, to, std::memory_order_acq_rel);
  }

  /// Goes from `state`, which is the caller's own, into the room. False if the timer was cancelled.
  bool wait(State state, const RoomPtr& room) {
    room_ = room;
    if (change(state, State::scheduled)) return true;
    room_.reset();
    return false;
  }

  std::atomic<State> state_ = State::virgin;
  TimerTask task_;
  std::atomic<Instant> execution_time_ = Instant{};
  std::optional<Repetition> repetition_;
  RoomPtr room_;  // for who makes the timer wait, and then for who ends that
};

/// A task for a HeapTimer, on whatever clock, to be scheduled once. Copies are the same task. It is
/// good for ever, also when the timer is no more, and any thread may use it.
class HeapTimerTask {
 public:
  /// No task: false, and refused by every timer.
  HeapTimerTask() = default;

  /// A task that does what `task` does; none if that is none.
  explicit HeapTimerTask(TimerTask task)
      : node_(task ? new HeapTimerNode(std::move(task)) : nullptr) {}

  /// Whether there is a task.
  explicit operator bool() const { return node_ != nullptr; }

  friend bool operator==(const HeapTimerTask&, const HeapTimerTask&) = default;

  /// No run begins any more. Returns whether one would have: not if the task was never scheduled,
  /// which from now on it cannot be, nor in its only run, or when it ran or was cancelled before.
  /// Destroys what it would have run, unless that runs now. O(1).
  bool cancel() {
    if (!node_) return false;
    const State found = node_->cancel();
    return found == State::scheduled || found == State::running;
  }

  /// For when the latest run was planned, or with a fixed delay when it began: a task may ask how
  /// late it is. Before the first run, for when that is planned; before it is scheduled, the epoch.
  Instant scheduled_execution_time() const { return node_ ? node_->execution_time() : Instant{}; }

 private:
  using State = HeapTimerNode::State;
  template <Clock ClockType>
  friend class HeapTimer;

  boost::intrusive_ptr<HeapTimerNode> node_;
};

struct HeapTimerOptions {
  /// What a task throws goes there.
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
  ~HeapTimer() { stop(); }

  /// Runs `task` once, `delay` from now.
  ///
  /// This and the others refuse, in this order: with std::invalid_argument a negative delay, a
  /// period in which no time passes, a delay that leads to the last instant or beyond, and an
  /// instant before the clock's epoch; with RejectedTask anything, once the timer was cancelled or
  /// stopped; with std::invalid_argument no task, and one that was scheduled or cancelled before.
  /// A refusal leaves the task as it was.
  void schedule(const HeapTimerTask& task, Delay delay) { schedule_after(task, delay); }

  /// Runs `task` once, at `time`, which may be past. The last instant never comes.
  void schedule(const HeapTimerTask& task, Instant time) { schedule_at(task, time); }

  /// Runs `task` again and again, first `delay` from now, then with a fixed delay: `period` after
  /// the run before began. A period that leads beyond the last instant leads to no other run.
  void schedule(const HeapTimerTask& task, Delay delay, Delay period) {
    schedule_after(task, delay, Repetition{period, CountsFrom::start});
  }

  /// The same, first at `time`.
  void schedule(const HeapTimerTask& task, Instant time, Delay period) {
    schedule_at(task, time, Repetition{period, CountsFrom::start});
  }

  /// Runs `task` again and again, first `delay` from now, then at a fixed rate: `period` after the
  /// run before was planned. Runs that are late follow one another at once.
  void schedule_at_fixed_rate(const HeapTimerTask& task, Delay delay, Delay period) {
    schedule_after(task, delay, Repetition{period, CountsFrom::plan});
  }

  /// The same, first at `time`.
  void schedule_at_fixed_rate(const HeapTimerTask& task, Instant time, Delay period) {
    schedule_at(task, time, Repetition{period, CountsFrom::plan});
  }

  /// The `schedule` of all services, with the refusals of this one.
  Handle schedule(Delay delay, TimerTask task) {
    Handle handle(std::move(task));
    schedule(handle, delay);
    return handle;
  }

  /// Cancels all tasks, accepts nothing more, and ends the thread. It does not wait: a task that
  /// runs goes on to its end, and may be the one who calls. O(n).
  void cancel() {
    for (const Entry& entry : close()) entry.node->cancel();
  }

  /// The `cancel` of all services: `handle.cancel()`, with more to say.
  CancelResult cancel(const Handle& handle) {
    if (!handle) return CancelResult::gone;
    switch (handle.node_->cancel()) {
      case State::scheduled:
        return CancelResult::cancelled;
      case State::running:
      case State::last_run:
        return CancelResult::running;
      default:
        return CancelResult::gone;
    }
  }

  /// Takes all cancelled tasks out of the heap, and returns how many those were. O(n).
  std::size_t purge() {
    const std::lock_guard lock(mutex_);
    return heap_.remove_if([](const Entry& entry) { return !entry.node->will_run(); },
                           kForgetPlace);
  }

  /// A task that repeats waits between its runs, not in them.
  std::size_t pending() const { return room_->use_count() - 1; }

  Duration max_lateness() const { return Duration::zero(); }

  /// As in all services. Of the tasks that repeat, those that wait for another run are returned,
  /// too.
  std::vector<TimerTask> stop() {
    runner_.refuse_from_task("stop");
    const std::vector<Entry> entries = close();
    {
      const std::lock_guard only_one_joins(joining_);
      thread_.reset();
    }
    std::vector<TimerTask> never_ran;
    for (const Entry& entry : entries) {
      if (TimerTask task = entry.node->withdraw()) never_ran.push_back(std::move(task));
    }
    return never_ran;
  }

 private:
  using State = HeapTimerNode::State;
  using NodePtr = boost::intrusive_ptr<HeapTimerNode>;

  /// Without a number to decide ties: that is what makes their order the one of the original.
  struct Entry {
    Instant deadline;
    NodePtr node;
    bool before(const Entry& other) const { return deadline < other.deadline; }
  };

  static constexpr auto kForgetPlace = [](const Entry&, std::size_t) {};
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
      heap_.reserve_one();  // May throw, and so comes before the task is used up.
      if (!task.node_->schedule(deadline, repetition, room_)) {
        throw std::invalid_argument(
            "a task can be scheduled once, and this one was scheduled or cancelled before");
      }
      heap_.push({deadline, task.node_}, kForgetPlace);
      if (heap_.front().node != task.node_) return;
    }
    parker_.unpark();
  }

  /// Takes out all timers. There will be no others, and no run begins any more.
  std::vector<Entry> close() {
    std::vector<Entry> entries;
    {
      const std::lock_guard lock(mutex_);
      closed_ = true;
      entries = heap_.take_all();
    }
    parker_.unpark();
    return entries;
  }

  void drive() {
    std::unique_lock lock(mutex_);
    while (!closed_) {
      if (const NodePtr timer = start_first()) {
        lock.unlock();
        run(*timer);
      } else {
        const Instant next = heap_.empty() ? kNever : heap_.front().deadline;
        lock.unlock();
        sleep_until(next);
      }
      lock.lock();
    }
  }

  /// Starts the first timer if it is due, and drops those before it that were cancelled. A dead
  /// entry has no task any more: who cancelled it destroys that, without the mutex.
  NodePtr start_first() {
    while (!heap_.empty()) {
      const Instant deadline = heap_.front().deadline;
      HeapTimerNode& first = *heap_.front().node;
      if (first.will_run()) {
        const Instant now = clock_.now();
        if (deadline > now || deadline == kNever) return nullptr;
        if (first.start(deadline, now)) return take_first(deadline, now);
      }
      heap_.remove(0, kForgetPlace);
    }
    return nullptr;
  }

  /// Takes the first timer out, or gives it its next deadline, if it repeats: before the run, so
  /// that the task may be cancelled and purged in it.
  NodePtr take_first(Instant deadline, Instant now) {
    const std::optional<Repetition>& repetition = heap_.front().node->repetition();
    if (!repetition) return heap_.remove(0, kForgetPlace).node;
    NodePtr first = heap_.front().node;
    heap_.replace(0, {repetition->next(deadline, now, now), first}, kForgetPlace);
    return first;
  }

  void run(HeapTimerNode& timer) {
    const TaskRunner::InTask in_task(runner_);  // also where tasks are destroyed
    if (runner_.run(timer) && ends_on_error_) cancel();
    timer.end_run(room_);
  }

  void sleep_until(Instant instant) {
    if (instant == kNever) {
      parker_.park();
    } else {
      parker_.park_until(instant);
    }
  }

  ClockType& clock_;
  const bool ends_on_error_;
  const TaskRunner runner_;
  typename ClockType::Parker parker_;
  const HeapTimerNode::RoomPtr room_;

  std::mutex mutex_;  // guards the two
  PositionHeap<Entry> heap_;
  bool closed_ = false;

  std::mutex joining_;
  std::optional<typename ClockType::Thread> thread_;  // the last member: it uses all others
};

}  // namespace timers
