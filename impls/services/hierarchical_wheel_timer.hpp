#pragma once

/// Hierarchical wheels whose thread sleeps until the first bucket in use expires.
///
/// Kafka's SystemTimer, which keeps the requests that wait in a broker: see TimingWheel. A thread,
/// the reaper, takes the buckets in the order of their expiration and hands what is due to an
/// executor. Without an executor it hands all of it at once to a thread of the timer's own. Only a
/// bucket that is earlier than all others wakes the reaper. Nothing happens while nothing is due,
/// however fine the tick is.
///
///     schedule    O(1); O(log b) for b buckets in use if the timer's bucket was unused; a futex
///                 call if that bucket is the first one now
///     cancel      O(1) amortised; O(n) for the one call that makes a sweep due
///     re-arm      O(1): the clock and one atomic operation, without the mutex; for an earlier
///                 deadline as much as `cancel` and `schedule`
///     a run       O(1), at most one move per wheel for each deadline, and the executor's work
///
/// A cancelled timer gives up its task at once. Its node stays until its bucket expires, or until a
/// sweep. A cancel sweeps if such nodes outnumber the other nodes and the buckets together. So it
/// mostly touches only the node's own memory. The original also touches the node's neighbours.
///
/// Choose it for very many timers with delays of all sizes, most of which are cancelled, and where
/// tasks must not hold up the timer. It has three weaknesses. All threads that schedule or cancel
/// wait for one mutex; a sweep holds it for long, and so does the expiry of a wide, full bucket.
/// Each run is handed from one thread to another. An empty bucket still wakes the reaper if its
/// timers were cancelled.
///
///     timers::HierarchicalWheelTimer timer(clock);
///     auto handle = timer.schedule(30s, [] { fail_request(); });
///     timer.cancel(handle);     // the request was answered

#include <algorithm>
#include <atomic>
#include <boost/intrusive/list.hpp>
#include <boost/smart_ptr/intrusive_ptr.hpp>
#include <chrono>
#include <cstddef>
#include <exception>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

#include "impls/clocks/clock.hpp"
#include "impls/clocks/instant.hpp"
#include "impls/services/parts/addable_task.hpp"
#include "impls/services/parts/executor.hpp"
#include "impls/services/parts/hierarchical_wheel_timer_options.hpp"
#include "impls/services/parts/left_in_child.hpp"
#include "impls/services/parts/rearmable_node.hpp"
#include "impls/services/parts/task_runner.hpp"
#include "impls/services/parts/tasks_left.hpp"
#include "impls/services/parts/ticks.hpp"
#include "impls/services/parts/timing_wheel.hpp"
#include "impls/timer_service.hpp"

namespace timers {

template <Clock ClockType>
class HierarchicalWheelTimer {
  using Hook =
      boost::intrusive::list_base_hook<boost::intrusive::link_mode<boost::intrusive::auto_unlink>>;

  /// What the wheels look at and the count of owners come first: one cache line.
  /// Nobody sends a node here. So its state says for ever that the node is on its way.
  struct Node final : WheelItem, RearmableNode<Node>, Hook {
    Node(TimerTask&& task, Tick due_at) noexcept : RearmableNode<Node>(std::move(task), due_at) {}
    Tick due() const { return this->deadline(); }
  };

 public:
  using Options = HierarchicalWheelTimerOptions;
  using Handle = boost::intrusive_ptr<Node>;
  using Task = AddableTask<HierarchicalWheelTimer>;
  static constexpr const char* name = "hierarchical_wheel_timer";

  /// Of two timers with one deadline the later one may go to a finer wheel at once, while the other
  /// one still has to cascade there.
  static constexpr bool fifo = false;

  /// Once for each cascade on the way, and once more if the wheels lag behind.
  static std::size_t max_idle_wakes(Duration delay) {
    const Options options;
    std::size_t wakes = 1;
    for (auto ticks = static_cast<Tick>(delay / options.tick_duration); ticks >= options.wheel_size;
         ticks /= options.wheel_size) {
      ++wakes;
    }
    return wakes;
  }

  /// With these options the timer does what the original does, except for three faults of the
  /// original: advance_clock never returns if a delay was 20^14 ticks or longer; the original
  /// divides by zero where the span of a wheel overflows; and its stop may wait until the reaper
  /// wakes up by itself.
  static Options as_in_kafka() {
    Options options;
    options.rounding = Options::Rounding::down;
    options.overflow = Options::Overflow::runs_at_once;
    options.hand_over = Options::HandOver::irrevocable;
    options.longest_wait = std::chrono::milliseconds(200);
    options.clock_step = std::chrono::milliseconds(1);
    options.on_error = nullptr;
    return options;
  }

  /// Starts the threads. Throws std::invalid_argument for options that can never be right, and
  /// std::system_error if there is no thread to be had.
  explicit HierarchicalWheelTimer(ClockType& clock, const Options& options = {})
      : clock_(clock),
        options_(options.checked()),
        runner_(options_.on_error),
        ticks_(std::min(Instant{}, clock.now()), options_.tick_duration),
        reaper_parker_(clock),
        worker_parker_(clock),
        stop_parker_(clock),
        wheels_(ticks_.not_after(clock.now()), options_.wheel_size) {
    try {
      if (has_worker()) worker_->emplace(clock, [this] { work(); });
      if (options_.reaper) reaper_->emplace(clock, [this] { reap(); });
    } catch (...) {
      end();  // One thread may have started.
      throw;
    }
  }

  HierarchicalWheelTimer(const HierarchicalWheelTimer&) = delete;
  HierarchicalWheelTimer& operator=(const HierarchicalWheelTimer&) = delete;
  ~HierarchicalWheelTimer() {
    if (wheels_.is_left()) return;
    runner_.refuse_from_task("stop");
    withdraw_all(DroppedTasks());
    end();
  }

  /// As in all services. A task without delay goes to the executor at once, unless timers are
  /// rounded down and the wheels lag behind. If the executor runs tasks on the thread that hands
  /// them over, the task runs in this call.
  Handle schedule(Delay delay, TimerTask task) {
    require_task(task);
    return insert(delay, std::move(task), [](const Handle&) {});
  }

  /// Runs `task` when its delay is over. If the task waits already, here or in another timer, it
  /// moves from there. Refuses what `schedule` refuses.
  void add(Task& task) {
    Handle entry;
    typename Task::Place before;
    try {
      insert(task.delay(), task.run(), [&](const Handle& inserted) {
        entry = inserted;
        before = task.move_to({this, entry});
      });
    } catch (...) {
      if (entry) task.move_back(entry, before);
      throw;
    }
    before.cancel();
  }

  CancelResult cancel(const Handle& handle) {
    if (!handle) return CancelResult::gone;
    Node& node = *handle;  // `handle` may belong to the task, which is about to be moved.
    if (is_irrevocable(node)) return CancelResult::running;
    TimerTask dies_last;
    const CancelResult result = node.cancel(dies_last);
    if (result == CancelResult::cancelled) forget(node);
    return result;
  }

  /// Kafka has no such call. False also for a timer that was handed over. If the delay is over at
  /// once, the executor gets the task in this call. Its exceptions go to the handler of errors.
  bool rearm(const Handle& handle, Delay delay) {
    if (!handle || stopped_.load(std::memory_order_relaxed)) return false;
    const Tick due = tick_after(delay);
    const Rearmed rearmed = handle->put_off(due);
    return rearmed.is_nearer ? bring_nearer(*handle, due) : rearmed.was_pending;
  }

  /// How many timers are in the wheels. `pending` also counts timers whose task waits in the
  /// executor.
  std::size_t size() const {
    const std::lock_guard lock(mutex_);
    return wheels_->size();
  }

  std::size_t pending() const {
    const std::lock_guard lock(mutex_);
    return wheels_->size() + waiting_;
  }

  /// As long as the executor is not busy.
  Duration max_lateness() const {
    const Duration by_step = options_.clock_step - Duration(1);
    return rounds_up() ? options_.tick_duration - Duration(1) + by_step : by_step;
  }

  /// Waits until a bucket expires, but not longer than `timeout`. Then moves the timer on to this
  /// bucket and all others that have expired, and hands over what is due. Returns whether there was
  /// a bucket; it may have been empty, or have held nothing that is due. One thread at a time may
  /// call this. Throws std::logic_error if there is a reaper. O(log b) a bucket, O(1) a timer.
  bool advance_clock(Delay timeout) {
    if (options_.reaper) {
      throw std::logic_error("advance_clock was called on a timer that has a reaper to do it");
    }
    return advance_until(after(clock_.now(), timeout));
  }

  std::vector<TimerTask> stop() {
    runner_.refuse_from_task("stop");
    const std::lock_guard one_at_a_time(stopping_);
    KeptTasks never_ran;
    withdraw_all(never_ran);
    end();
    return std::move(never_ran.tasks);
  }

 private:
  using Lock = std::unique_lock<std::mutex>;

  /// Owns the service's share in each of its nodes.
  using Nodes = boost::intrusive::list<Node, boost::intrusive::constant_time_size<false>>;

  /// Whether tasks run on a thread of the timer's own.
  bool has_worker() const { return options_.executor == nullptr; }

  bool rounds_up() const { return options_.rounding == Options::Rounding::up; }

  /// The tick in which a timer is due. Tick 0 is always over.
  Tick tick_after(Delay delay) const {
    constexpr Tick kAtOnce = 0;
    const Instant now = clock_.now();
    const Instant deadline = after(now, delay);
    if (deadline == Instant::max()) {
      return options_.overflow == Options::Overflow::runs_at_once ? kAtOnce : kEndOfTime;
    }
    if (rounds_up()) return deadline <= now ? kAtOnce : ticks_.not_before(deadline);
    return deadline <= ticks_.start_of(0) ? kAtOnce : ticks_.not_after(deadline);
  }

  /// When the reaper wakes up, if it goes to sleep at `now` and wants to wake at `instant`.
  Instant wake_up(Instant now, Instant instant) const {
    const Ticks clock_steps(ticks_.start_of(0), options_.clock_step);
    return after(instant, span(clock_steps.start_of(clock_steps.not_after(now)), now));
  }

  /// Makes a timer, and calls `on_inserted(handle)` before it can run.
  template <class OnInserted>
  Handle insert(Delay delay, TimerTask&& task, OnInserted on_inserted) {
    Node* const node = Node::make(std::move(task), tick_after(delay));
    Handle handle = node->adopt();
    Handle share = node->adopt();
    Lock lock(mutex_);
    if (stopped_) refuse_stopped();
    const bool is_due = wheels_->is_due(share);
    if (is_due) {
      put(has_worker() ? *due_ : *handed_over_, std::move(share));
    } else {
      const Tick next = wheels_->next_expiry();
      wheels_->insert(std::move(share));
      wake_reaper_if_before(next);
    }
    on_inserted(std::as_const(handle));
    if (is_due) {
      if (has_worker()) {
        wake_worker();
      } else {
        lock.unlock();
        hand_over_now(handle);
      }
    }
    return handle;
  }

  bool bring_nearer(Node& node, Tick due) {
    Lock lock(mutex_);
    if (stopped_) return false;
    wheels_->reserve_one();
    const Rearmed rearmed = node.rearm(due);
    if (!rearmed.is_nearer) return rearmed.was_pending;
    Handle share = wheels_->take(node);
    if (wheels_->is_due(share)) {
      put(*due_, std::move(share));
      hand_over_due(std::move(lock));
    } else {
      const Tick next = wheels_->next_expiry();
      wheels_->insert_again(std::move(share));
      wake_reaper_if_before(next);
    }
    return true;
  }

  /// For a caller that has put a timer into the wheels. `next` was their next expiry before that.
  /// The caller holds the lock.
  void wake_reaper_if_before(Tick next) {
    if (wheels_->next_expiry() < next) reaper_parker_.unpark();
  }

  /// If the executor refuses the task, the timer counts as never made, and the caller gets the
  /// refusal. But if another thread cancelled the timer first, the caller gets no refusal.
  void hand_over_now(const Handle& node) {
    try {
      hand_over(node);
    } catch (...) {
      TimerTask dies_last;
      if (node->cancel(dies_last) != CancelResult::cancelled) return;
      forget(*node);
      throw;
    }
  }

  void hand_over(Handle node) {
    options_.executor->execute([this, node = std::move(node)] {
      if (node->start() == Start::runs) run_handed_over(*node);  // If not, `this` may be no more.
    });
  }

  /// On a thread of the executor.
  void run_handed_over(Node& node) {
    {
      const Lock lock(mutex_);
      take(node);
      ++running_;
    }
    runner_.run_last(node);
    const Lock lock(mutex_);
    --running_;
    if (stopped_ && running_ == 0 && handed_over_->empty()) stop_parker_.unpark();
  }

  /// What the worker does. After a stop it still runs the tasks that cannot be revoked.
  void work() {
    Lock lock(mutex_);
    while (!stopped_ || (hand_over_is_irrevocable() && !due_->empty())) {
      if (due_->empty()) {
        worker_sleeps_ = true;
        lock.unlock();
        worker_parker_.park();
        lock.lock();
      } else {
        run_first(lock);
      }
    }
  }

  void run_first(Lock& lock) {
    Handle node = take(due_->front());
    const Start start = node->start();
    lock.unlock();
    if (start == Start::runs) runner_.run_last(*node);
    node.reset();
    lock.lock();
  }

  /// The caller holds the lock. The same is true of `put` and `take`.
  void wake_worker() {
    if (std::exchange(worker_sleeps_, false)) worker_parker_.unpark();
  }

  void put(Nodes& nodes, Handle share) {
    nodes.push_back(*share.detach());
    ++waiting_;
  }

  /// Takes a node out of its list, and returns the share that the list had.
  Handle take(Node& node) {
    --waiting_;
    return unlinked(node);
  }

  static Handle unlinked(Node& node) {
    node.unlink();
    return node.adopt();
  }

  /// Gives up a cancelled timer, unless another thread has dropped the dead timer already.
  void forget(Node& node) {
    const Lock lock(mutex_);
    if (wheels_->cancel(node)) return;
    if (node.is_linked()) take(node);
  }

  void reap() {
    while (!is_stopped()) advance_until(after(clock_.now(), options_.longest_wait));
  }

  /// Returns true when a bucket has expired, and false at `limit` or when the timer was stopped.
  bool advance_until(Instant limit) {
    for (;;) {
      const Instant now = clock_.now();
      Lock lock(mutex_);
      if (stopped_) return false;
      const auto on_due = [this](Handle&& share) { put(*due_, std::move(share)); };
      if (wheels_->expire(ticks_.not_after(now), on_due)) {
        hand_over_due(std::move(lock));
        return true;
      }
      const Instant wake = std::min(limit, wake_up(now, ticks_.start_of(wheels_->next_expiry())));
      lock.unlock();
      if (limit <= now && limit != Instant::max()) return false;
      park_until(reaper_parker_, wake);
    }
  }

  void hand_over_due(Lock lock) {
    if (has_worker()) {
      if (!due_->empty()) wake_worker();
      return;
    }
    while (!due_->empty()) {
      const Handle node(&due_->front());
      handed_over_->splice(handed_over_->end(), *due_, due_->begin());
      lock.unlock();
      try {
        hand_over(node);
      } catch (...) {
        runner_.report(std::current_exception());
      }
      lock.lock();
    }
  }

  /// Accepts nothing more, and takes the tasks of all timers that have not started, except those
  /// that the worker has to run.
  template <class Sink>
  void withdraw_all(Sink&& sink) {
    Lock lock(mutex_);
    close();
    wheels_->take_all([&](Handle&& node) {
      if (node->cancel_if_pending()) put(*withdrawn_, std::move(node));
    });
    if (!hand_over_is_irrevocable() || !has_worker()) withdraw_all_of(*due_);
    // An executor of the user may have been stopped, and never run what it has: do not wait for it.
    withdraw_all_of(*handed_over_);
    sink.expect(waiting_);
    while (!withdrawn_->empty()) {
      Handle node = take(withdrawn_->front());
      lock.unlock();
      sink.take(node->take_task());
      node.reset();
      lock.lock();
    }
  }

  void withdraw_all_of(Nodes& nodes) {
    for (auto next = nodes.begin(); next != nodes.end();) {
      Node& node = *next++;
      // If it runs, its thread takes it out.
      if (node.cancel_if_pending()) {
        put(*withdrawn_, take(node));
      } else if (node.state() == TimerState::cancelled) {
        take(node);
      }
    }
  }

  /// Accepts nothing more. The caller holds the lock.
  void close() {
    stopped_ = true;
    reaper_parker_.unpark();
    wake_worker();
  }

  /// Ends the threads, and waits for the tasks that run.
  void end() {
    {
      const Lock lock(mutex_);
      close();
    }
    reaper_->reset();
    worker_->reset();
    while (runs_elsewhere()) stop_parker_.park();
  }

  bool hand_over_is_irrevocable() const {
    return options_.hand_over == Options::HandOver::irrevocable;
  }

  bool is_irrevocable(const Node& node) const {
    if (!hand_over_is_irrevocable()) return false;
    const Lock lock(mutex_);
    return node.is_linked() && node.state() != TimerState::cancelled;
  }

  bool runs_elsewhere() const {
    const Lock lock(mutex_);
    return running_ > 0 || !handed_over_->empty();
  }

  bool is_stopped() const {
    const Lock lock(mutex_);
    return stopped_;
  }

  ClockType& clock_;
  const Options options_;
  const TaskRunner runner_;
  const Ticks ticks_;  // count from the clock's epoch, as in the original, or from an earlier start
  typename ClockType::Parker reaper_parker_;
  typename ClockType::Parker worker_parker_;
  typename ClockType::Parker stop_parker_;
  std::atomic<bool> stopped_ = false;  // changes only under the lock

  mutable std::mutex mutex_;  // guards these
  LeftInChild<TimingWheel<Handle>> wheels_;
  LeftInChild<Nodes> due_;          // for the worker, or on their way to the executor
  LeftInChild<Nodes> handed_over_;  // the executor has them, and has not begun
  LeftInChild<Nodes> withdrawn_;    // will not run; a stop returns their tasks
  std::size_t waiting_ = 0;         // how many nodes these three lists have
  std::size_t running_ = 0;         // how many tasks run on threads of an executor
  bool worker_sleeps_ = false;

  std::mutex stopping_;
  LeftInChild<std::optional<typename ClockType::Thread>> worker_;
  LeftInChild<std::optional<typename ClockType::Thread>> reaper_;
};

}  // namespace timers
