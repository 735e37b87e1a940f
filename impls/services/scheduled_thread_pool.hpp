#pragma once

/// Several threads, and a heap of tasks: when the first task is due, any thread that is free takes
/// it.
///
/// java.util.concurrent.ScheduledThreadPoolExecutor, which is scheme 3 of Varghese & Lauck behind a
/// mutex, with leader and followers: one waiting thread waits for the first deadline, the others
/// wait until they are called. Before a thread runs a task it calls the next one.
///
///     schedule, submit, …     O(log n), O(1) on average for deadlines in random order; one
///                             allocation; a futex call if the task is the first one
///     cancel, remove          O(log n); O(1) without `remove_on_cancel`
///     a run                   O(log n); a futex call if a thread is free and tasks are left
///     purge, shutdown         O(n)
///     the counts              O(1)
///
/// Choose it for tasks that take long or wait, for deadlines that must be exact, for results, and
/// for periods: with n threads only n slow tasks at once make another one late. It has two
/// weaknesses. All its threads, and all threads that schedule, wait for one mutex, which is held
/// for as many cache misses as the heap has levels. And to wake a second thread costs more than
/// many tasks do.
///
///     timers::ScheduledThreadPool pool(clock, {.threads = 4});
///     auto answer = pool.submit(2s, [] { return ask_again(); });
///     auto heartbeat = pool.schedule_at_fixed_rate(0s, 1s, [] { send_heartbeat(); });
///     use(answer.get());      // in two seconds; throws what ask_again throws
///     heartbeat.cancel();     // true: it would have run again

#include <algorithm>
#include <boost/intrusive/list.hpp>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "impls/clocks/clock.hpp"
#include "impls/services/parts/leader_and_followers.hpp"
#include "impls/services/parts/left_in_child.hpp"
#include "impls/services/parts/repetition.hpp"
#include "impls/services/parts/scheduled_future.hpp"
#include "impls/services/parts/scheduled_queue.hpp"
#include "impls/services/parts/scheduled_thread_pool_options.hpp"
#include "impls/services/parts/task_runner.hpp"
#include "impls/services/parts/tasks_left.hpp"
#include "impls/timer_service.hpp"

namespace timers {

template <Clock ClockType>
class ScheduledThreadPool {
 public:
  static constexpr const char* name = "scheduled_thread_pool";
  using Options = ScheduledThreadPoolOptions;
  using Handle = ScheduledQueue::Handle;
  template <class Result>
  using Future = ScheduledFuture<Result, ClockType, ScheduledThreadPool>;
  static constexpr bool repeats_after_error = false;

  /// The original leaves cancelled tasks in the queue. It puts what a task throws into the task's
  /// future, even where nobody holds that future.
  static Options as_in_jdk() { return {.remove_on_cancel = false, .on_error = nullptr}; }

  explicit ScheduledThreadPool(ClockType& clock, Options options = {})
      : clock_(clock),
        most_workers_(std::max<std::size_t>(options.threads, 1)),
        remove_on_cancel_(options.remove_on_cancel),
        runner_(std::move(options.on_error)),
        runs_delayed_(options.execute_existing_delayed_tasks_after_shutdown),
        runs_periodic_(options.continue_existing_periodic_tasks_after_shutdown) {
    workers_->reserve(most_workers_);
    line_->reserve(most_workers_);
  }
  ScheduledThreadPool(const ScheduledThreadPool&) = delete;
  ScheduledThreadPool& operator=(const ScheduledThreadPool&) = delete;
  ~ScheduledThreadPool() {
    if (queue_.is_left()) return;
    runner_.refuse_from_task("stop");
    take_all(DroppedTasks());
    join();
  }

  /// The `schedule` of all services. Tasks that are due at the same instant start in the order in
  /// which they came.
  ///
  /// This and the next three throw std::invalid_argument without a task, RejectedTask after a
  /// shutdown, and std::system_error if they need a new thread and there is none to be had.
  Handle schedule(Delay delay, TimerTask task) {
    require_task(task);
    ScheduledNode* const node = ScheduledNode::make(std::move(task));
    Handle handle = node->adopt();
    enqueue(deadline_after(clock_.now(), delay), node->adopt());
    return handle;
  }

  /// Runs `function` once, `delay` from now. The future gets what it returns, as a copy if that is
  /// a reference, or what it throws.
  template <class Function>
  requires std::invocable<Function&>
  auto submit(Delay delay, Function function) {
    if constexpr (requires { function == nullptr; }) {
      if (function == nullptr) require_task(nullptr);
    }
    using Result = std::decay_t<std::invoke_result_t<Function&>>;
    return add<Result>(delay, std::nullopt, std::move(function));
  }

  /// Runs `task` again and again: `first` from now, and then every `period`, counted from the plan.
  /// Runs that are late follow one another at once. A run never begins before the one before it has
  /// ended. The first run that throws is the last one, and the future gets its exception. Throws
  /// std::invalid_argument if no time passes in the period.
  Future<void> schedule_at_fixed_rate(Delay first, Delay period, TimerTask task) {
    return repeat(first, {period, CountsFrom::plan}, std::move(task));
  }

  /// The same, but each run begins `delay` after the end of the one before.
  Future<void> schedule_with_fixed_delay(Delay first, Delay delay, TimerTask task) {
    return repeat(first, {delay, CountsFrom::end}, std::move(task));
  }

  /// The `cancel` of all services. The handle comes by value: the caller's own may belong to the
  /// task, which dies in this call.
  CancelResult cancel(Handle handle) {  // NOLINT(performance-unnecessary-value-param)
    if (!handle) return CancelResult::gone;
    const CancelResult result = revoke(*handle);
    if (result == CancelResult::cancelled) handle->abandon();
    return result;
  }

  /// The same for a task with a future. Then the future is cancelled, too. If a periodic task runs
  /// now, its future is cancelled when the run ends. A task that runs only once keeps its result.
  template <class Result>
  CancelResult cancel(const Future<Result>& future) {
    return cancel(future.share());
  }

  /// Takes a task out of the queue, and cancels its future. False if it is not there, because it
  /// runs or is gone.
  bool remove(Handle handle) {  // NOLINT(performance-unnecessary-value-param): as in cancel
    Lock lock(mutex_);
    if (!handle || !queue_->contains(*handle)) return false;
    const CancelResult result = queue_->revoke(*handle);
    queue_->remove(*handle);
    wake_all_if_over();
    lock.unlock();
    if (result == CancelResult::cancelled) handle->abandon();
    return true;
  }

  /// Takes all cancelled tasks out of the queue, and returns how many there were.
  std::size_t purge() {
    const std::lock_guard lock(mutex_);
    const std::size_t purged = queue_->purge();
    wake_all_if_over();
    return purged;
  }

  /// Accepts nothing more. Tasks that run go on. Tasks that wait will run if the policies allow it.
  void shutdown() {
    change([this] { phase_ = std::max(phase_, Phase::shutdown); });
  }

  /// Changes a policy of the options. After a shutdown it also cancels, at once, the tasks that
  /// must no longer run.
  void set_execute_existing_delayed_tasks_after_shutdown(bool value) {
    change([this, value] { runs_delayed_ = value; });
  }
  void set_continue_existing_periodic_tasks_after_shutdown(bool value) {
    change([this, value] { runs_periodic_ = value; });
  }

  /// Accepts nothing more, and returns all tasks that wait, also periodic ones. A task that runs
  /// goes on to its end, but does not run again. The future of a returned task is neither done nor
  /// cancelled: whoever runs the task settles its future, whoever drops the task cancels it.
  std::vector<TimerTask> shutdown_now() {
    KeptTasks never_ran;
    take_all(never_ran);
    return std::move(never_ran.tasks);
  }

  /// Waits until the pool is terminated, but not longer than `timeout`. Returns whether it is.
  /// Throws std::logic_error if one of its own tasks asks.
  bool await_termination(Delay timeout) {
    runner_.refuse_from_task("await_termination");
    return await_end(after(clock_.now(), timeout));
  }

  /// The `stop` of all services: `shutdown_now`, and then it waits.
  std::vector<TimerTask> stop() {
    runner_.refuse_from_task("stop");
    std::vector<TimerTask> never_ran = shutdown_now();
    join();
    return never_ran;
  }

  Duration max_lateness() const { return Duration::zero(); }

  /// A periodic task is pending between its runs, and not during a run.
  std::size_t pending() const {
    return locked([this] { return queue_->pending(); });
  }

  bool is_shutdown() const {
    return locked([this] { return phase_ != Phase::open; });
  }

  /// Whether the pool was shut down, nothing runs, and nothing will run.
  bool is_terminated() const {
    return locked([this] { return is_over(); });
  }

  /// How many tasks are in the queue: those that wait, and cancelled ones that stay there.
  std::size_t queue_size() const {
    return locked([this] { return queue_->size(); });
  }

  /// How many tasks run.
  std::size_t active_count() const {
    return locked([this] { return active_; });
  }

  /// How many runs have ended.
  std::size_t completed_task_count() const {
    return locked([this] { return completed_; });
  }

  /// The sum of these three, at one instant.
  std::size_t task_count() const {
    return locked([this] { return queue_->size() + active_ + completed_; });
  }

  /// How many threads there are; none once it is terminated.
  std::size_t pool_size() const {
    return locked([this] { return is_over() ? 0 : workers_->size(); });
  }

 private:
  friend FutureNode<ClockType, ScheduledThreadPool>;  // a node calls `revoke`

  using Parker = typename ClockType::Parker;
  using Lock = std::unique_lock<std::mutex>;
  using Entry = ScheduledQueue::Entry;

  static constexpr Instant kNever = ScheduledQueue::kNever;

  enum class Phase : std::uint8_t { open, shutdown, stopped };

  struct Worker {
    explicit Worker(ScheduledThreadPool& pool)
        : parker(pool.clock_),
          thread(std::in_place, pool.clock_, [this, &pool] { pool.work(*this); }) {}

    Parker parker;  // outlives the thread: somebody may be about to unpark it
    std::optional<typename ClockType::Thread> thread;
  };

  /// On the stack of a thread that waits for the end.
  struct Waiter : boost::intrusive::list_base_hook<> {
    explicit Waiter(ClockType& clock) : parker(clock) {}
    Parker parker;
  };

  template <class Read>
  auto locked(Read read) const {
    const std::lock_guard lock(mutex_);
    return read();
  }

  Future<void> repeat(Duration first, Repetition repetition, TimerTask task) {
    require_task(task);
    require_period(repetition.period);
    return add<void>(first, repetition, std::move(task));
  }

  template <class Result, class Function>
  Future<Result> add(Duration delay, const std::optional<Repetition>& repetition,
                     Function function) {
    const Instant deadline = deadline_after(clock_.now(), delay);
    auto* const node =
        new typename Future<Result>::Node(std::move(function), *this, clock_, deadline, repetition);
    Future<Result> future(node);
    enqueue(deadline, node->adopt());
    return future;
  }

  void enqueue(Instant deadline, Handle share) {
    Lock lock(mutex_);
    if (phase_ != Phase::open) {
      throw RejectedTask("a pool that was shut down takes no task; " +
                         std::to_string(queue_->pending()) + " wait in it and " +
                         std::to_string(active_) + " run");
    }
    // Running tasks may come back into the queue, and that must not fail.
    queue_->reserve(active_ + 1);
    if (workers_->size() < most_workers_) workers_->push_back(std::make_unique<Worker>(*this));
    Worker* const called = queue_->insert(deadline, std::move(share)) ? line_->to_call() : nullptr;
    lock.unlock();
    call(called);
  }

  CancelResult revoke(ScheduledNode& node) {
    const std::lock_guard lock(mutex_);
    const CancelResult result = queue_->revoke(node);
    if (result == CancelResult::cancelled && remove_on_cancel_) queue_->remove(node);
    wake_all_if_over();
    return result;
  }

  /// Makes a change that may forbid some tasks to run, and cancels those tasks.
  template <class Change>
  void change(Change make_change) {
    std::vector<Handle> forbidden;
    Lock lock(mutex_);
    forbidden.reserve(queue_->size());
    make_change();
    if (phase_ == Phase::open) return;
    queue_->revoke_if(
        [this, now = clock_.now()](const Entry& entry) {
          if (entry.node->repeats()) return !runs_periodic_;
          return !runs_delayed_ && entry.deadline > now;
        },
        forbidden);
    if (forbidden.empty()) return wake_all_if_over();
    ++abandoning_;
    lock.unlock();
    abandon(forbidden);
    lock.lock();
    --abandoning_;
    wake_all_if_over();
  }

  /// Tasks die in here. All threads that wait for the end wait for this, too.
  void abandon(const std::vector<Handle>& revoked) const {
    const TaskRunner::InTask in_task(runner_);
    for (const Handle& node : revoked) node->abandon();
  }

  /// Accepts nothing more, lets nothing run, and takes all tasks that wait.
  template <class Sink>
  void take_all(Sink&& sink) {
    std::vector<Entry> left;
    {
      const std::lock_guard lock(mutex_);
      phase_ = Phase::stopped;
      sink.expect(queue_->size());
      left = queue_->take_all();
      wake_all_if_over();
    }
    for (const Entry& entry : left) {
      if (TimerTask task = entry.node->give_back()) sink.take(std::move(task));
    }
  }

  void join() {
    await_end(kNever);
    const std::lock_guard only_one_joins(joining_);
    for (const auto& worker : *workers_) worker->thread.reset();
  }

  bool await_end(Instant deadline) {
    Waiter waiter(clock_);
    Lock lock(mutex_);
    if (is_over()) return true;
    awaiting_->push_back(waiter);
    lock.unlock();
    park_until(waiter.parker, deadline);
    lock.lock();
    awaiting_->erase(awaiting_->iterator_to(waiter));
    return is_over();
  }

  /// The caller holds the lock.
  bool is_over() const {
    return phase_ != Phase::open && queue_->size() == 0 && active_ == 0 && abandoning_ == 0;
  }

  void wake_all_if_over() {
    if (!is_over()) return;
    for (const auto& worker : *workers_) worker->parker.unpark();
    for (Waiter& waiter : *awaiting_) waiter.parker.unpark();
  }

  /// Best called without the lock, because the called thread takes the lock first.
  static void call(Worker* worker) {
    if (worker != nullptr) worker->parker.unpark();
  }

  /// What each thread does.
  void work(Worker& self) {
    Lock lock(mutex_);
    while (!is_over() && phase_ != Phase::stopped) {
      if (const std::optional<Entry> entry = queue_->start_due(clock_.now())) {
        run(*entry, line_->successor_of(self, queue_->size() > 0), lock);
      } else if (!is_over()) {  // `start_due` has removed dead tasks, so the pool may be over now
        wait(self, lock);
      }
    }
    wake_all_if_over();
  }

  void run(const Entry& entry, Worker* successor, Lock& lock) {
    ++active_;
    lock.unlock();
    call(successor);
    runner_.run(*entry.node);
    const std::optional<Instant> next = entry.node->next_deadline();
    if (!next) end(entry);
    lock.lock();
    if (next && !put_back({*next, entry.number, entry.node})) {
      lock.unlock();
      end(entry);
      lock.lock();
    }
    --active_;
    ++completed_;
    wake_all_if_over();
  }

  /// Puts a periodic task into the queue again. False if a shutdown or a cancel came first: then
  /// this was its last run.
  bool put_back(const Entry& entry) {
    const bool goes_on = phase_ == Phase::open || (phase_ == Phase::shutdown && runs_periodic_);
    if (!goes_on || !entry.node->repeat()) return false;
    // If no thread leads, this thread is about to look at the queue itself.
    if (queue_->put_back(entry)) call(line_->leader());
    return true;
  }

  /// The task and its result may be destroyed in here.
  void end(const Entry& entry) const {
    const TaskRunner::InTask in_task(runner_);
    const Handle last_share = entry.node->adopt();
    last_share->complete();
  }

  void wait(Worker& self, Lock& lock) {
    const bool leads = line_->wait(self);
    const Instant deadline = leads ? queue_->next_deadline() : kNever;
    lock.unlock();
    park_until(self.parker, deadline);
    lock.lock();
    if (!leads) line_->leave(self);
  }

  ClockType& clock_;
  const std::size_t most_workers_;
  const bool remove_on_cancel_;
  const TaskRunner runner_;

  mutable std::mutex mutex_;  // guards all of these
  Phase phase_ = Phase::open;
  bool runs_delayed_;
  bool runs_periodic_;
  LeftInChild<ScheduledQueue> queue_;
  std::size_t active_ = 0;
  std::size_t completed_ = 0;
  std::size_t abandoning_ = 0;  // calls that revoked tasks, and have not told the futures yet
  LeftInChild<LeaderAndFollowers<Worker>> line_;
  LeftInChild<boost::intrusive::list<Waiter>> awaiting_;
  LeftInChild<std::vector<std::unique_ptr<Worker>>> workers_;

  std::mutex joining_;
};

}  // namespace timers
