#pragma once

/// The simplest timer that keeps the contract, and the same timer with one mistake. It tests the
/// kits that must find such mistakes.

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <mutex>
#include <new>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "impls/clocks/clock.hpp"
#include "impls/services/parts/task_runner.hpp"
#include "impls/services/parts/timer_node.hpp"
#include "impls/timer_service.hpp"

namespace timers {

/// The mistake of a timer.
enum class Mistake {
  none,
  starts_early,              ///< By one nanosecond.
  starts_late,               ///< By one nanosecond.
  adds_without_saturation,   ///< A huge delay wraps.
  wraps_after_49_days,       ///< It counts milliseconds in 32 bits.
  misplaces_ties,            ///< Equal deadlines run in reverse.
  misses_a_new_head,         ///< Only the first timer wakes the thread; an earlier one does not.
  wakes_for_each,            ///< Each timer wakes the thread.
  ticks,                     ///< The thread wakes each millisecond.
  counts_what_is_cancelled,  ///< A cancelled timer counts until its deadline.
  counts_what_runs,
  keeps_what_is_cancelled,  ///< The node of a cancelled timer lives until its deadline.
  says_gone_while_running,
  says_cancelled_each_time,
  cancels_in_two_steps,  ///< Looks whether the timer is pending, and cancels it then.
  runs_what_is_cancelled,
  dies_of_an_exception,
  keeps_exceptions_to_itself,
  takes_no_task_for_a_task,
  looks_for_room_too_soon,  ///< Another thread may take the room meanwhile.
  takes_tasks_when_stopped,
  loses_tasks_when_stopped,
  returns_tasks_each_time,
  returns_what_is_cancelled,  ///< While it waits for the task that runs.
  does_not_wait_when_stopped,
  stops_for_its_task,
  stops_for_no_task,  ///< `stop` throws in every task, also in a task of another timer.
  allocates_twice,
  schedules_half,  ///< Counts a timer although memory ran out for it.
  loses_tasks_for_want_of_memory,
  needs_memory_to_be_destroyed,
};

struct PlainTimerOptions {
  ErrorHandler on_error = print_error;
  std::size_t max_pending = std::numeric_limits<std::size_t>::max();
  Mistake mistake = Mistake::none;
};

/// A binary heap in a vector, behind a mutex, and a thread that sleeps until the first timer is
/// due.
template <Clock ClockType>
class PlainTimer {
  struct Node : TimerNode<Node> {
    using TimerNode<Node>::TimerNode;
  };

 public:
  using Options = PlainTimerOptions;
  using Handle = typename Node::Handle;
  static constexpr const char* name = "plain_timer";

  explicit PlainTimer(ClockType& clock, Options options = {})
      : clock_(clock),
        max_pending_(options.max_pending),
        mistake_(options.mistake),
        runner_(std::move(options.on_error)),
        parker_(clock) {
    thread_.emplace(clock, [this] { drive(); });
  }
  ~PlainTimer() {
    if (has(Mistake::needs_memory_to_be_destroyed)) stop();
    end();
    // A task that dies may call in. Then no timer is left.
    for (const Entry& entry : std::exchange(timers_, {})) entry.node->withdraw();
  }

  Handle schedule(Delay delay, TimerTask task) {
    if (has(Mistake::takes_no_task_for_a_task) && !task) return {};
    require_task(task);
    if (has(Mistake::allocates_twice)) {
      for (const std::size_t bytes : {1U, 2U}) ::operator delete(::operator new(bytes));
    }
    const Instant deadline = deadline_of(delay);
    if (has(Mistake::looks_for_room_too_soon)) {
      require_room(pending());
      std::this_thread::yield();
    }
    const std::unique_lock lock(mutex_);
    if (stopped_ && !has(Mistake::takes_tasks_when_stopped)) {
      throw RejectedTask("a timer that was stopped takes no task");
    }
    if (!has(Mistake::looks_for_room_too_soon)) require_room(timers_.size());
    if (has(Mistake::schedules_half)) ++lost_;
    timers_.reserve(timers_.capacity() > timers_.size() ? 0 : 2 * timers_.size() + 1);
    Node* const node = Node::make(std::move(task));
    if (has(Mistake::schedules_half)) --lost_;
    Handle handle = node->adopt();
    timers_.push_back({deadline, ++turn_, node->adopt()});
    std::push_heap(timers_.begin(), timers_.end(), later());
    const bool is_first =
        has(Mistake::misses_a_new_head) ? timers_.size() == 1 : timers_.front().turn == turn_;
    if (is_first || has(Mistake::wakes_for_each)) parker_.unpark();
    return handle;
  }

  CancelResult cancel(const Handle& handle) {
    if (!handle) return CancelResult::gone;
    if (has(Mistake::runs_what_is_cancelled)) return CancelResult::cancelled;
    TimerTask dies_last;
    const bool was_pending = handle->state() == TimerState::pending;
    if (has(Mistake::cancels_in_two_steps)) std::this_thread::yield();
    const CancelResult result = handle->cancel(dies_last);
    if (result == CancelResult::cancelled) remove(handle);
    if (has(Mistake::says_gone_while_running) && result == CancelResult::running) {
      return CancelResult::gone;
    }
    if (has(Mistake::says_cancelled_each_time)) return CancelResult::cancelled;
    if (has(Mistake::cancels_in_two_steps) && was_pending) return CancelResult::cancelled;
    return result;
  }

  std::size_t pending() const {
    const std::lock_guard lock(mutex_);
    return timers_.size() + lost_ - (has(Mistake::keeps_what_is_cancelled) ? dead_ : 0) +
           (has(Mistake::counts_what_runs) && running_ ? 1 : 0);
  }

  Duration max_lateness() const { return Duration::zero(); }

  std::vector<TimerTask> stop() {
    if (!has(Mistake::stops_for_its_task)) runner_.refuse_from_task("stop");
    if (has(Mistake::stops_for_no_task) && in_a_task_) throw std::logic_error("not in a task");
    if (has(Mistake::returns_what_is_cancelled)) return take_all_and_wait();
    if (has(Mistake::does_not_wait_when_stopped)) {
      close();
    } else {
      end();
    }
    std::vector<TimerTask> never_ran;
    const std::lock_guard lock(mutex_);
    if (!has(Mistake::loses_tasks_for_want_of_memory)) never_ran.reserve(timers_.size());
    if (has(Mistake::loses_tasks_when_stopped)) timers_.clear();
    if (has(Mistake::returns_tasks_each_time)) never_ran.emplace_back([] {});
    for (const Entry& entry : std::exchange(timers_, {})) {
      if (TimerTask task = entry.node->withdraw()) never_ran.push_back(std::move(task));
    }
    return never_ran;
  }

 private:
  struct Entry {
    Instant deadline;
    std::uint64_t turn;
    Handle node;
  };
  struct Later {
    bool operator()(const Entry& one, const Entry& other) const {
      if (one.deadline != other.deadline) return one.deadline > other.deadline;
      return misplaces_ties ? one.turn < other.turn : one.turn > other.turn;
    }

    bool misplaces_ties;
  };

  bool has(Mistake mistake) const { return mistake == mistake_; }
  Later later() const { return {has(Mistake::misplaces_ties)}; }

  void require_room(std::size_t pending) const {
    if (pending < max_pending_) return;
    throw RejectedTask("a timer with at most " + std::to_string(max_pending_) +
                       " pending tasks has " + std::to_string(pending));
  }

  Instant deadline_of(Duration delay) const {
    if (has(Mistake::adds_without_saturation)) {
      const auto start = static_cast<std::uint64_t>(clock_.now().time_since_epoch().count());
      const auto end = start + static_cast<std::uint64_t>(delay.count());
      return Instant(Duration(static_cast<std::int64_t>(end)));
    }
    Instant now = clock_.now();
    if (has(Mistake::wraps_after_49_days)) {
      now = Instant(now.time_since_epoch() % (std::chrono::milliseconds(1) * (1LL << 32)));
    }
    const Instant deadline = deadline_after(now, delay);
    if (has(Mistake::starts_early)) return after(deadline, Duration(-1));
    if (has(Mistake::starts_late)) return after(deadline, Duration(1));
    return deadline;
  }

  std::vector<TimerTask> take_all_and_wait() {
    std::vector<Entry> taken;
    {
      const std::lock_guard lock(mutex_);
      taken = std::exchange(timers_, {});
    }
    end();
    std::vector<TimerTask> tasks;
    for (const Entry& entry : taken) tasks.push_back(entry.node->take_task());
    return tasks;
  }

  void close() {
    {
      const std::lock_guard lock(mutex_);
      stopped_ = true;
    }
    parker_.unpark();
  }

  void end() {
    close();
    if (runner_.runs_this_thread()) return;
    const std::lock_guard only_one_joins(joining_);
    thread_.reset();
  }

  void remove(const Handle& handle) {
    const std::lock_guard lock(mutex_);
    if (has(Mistake::keeps_what_is_cancelled)) ++dead_;
    if (has(Mistake::keeps_what_is_cancelled) || has(Mistake::counts_what_is_cancelled)) return;
    const auto found = std::find_if(timers_.begin(), timers_.end(),
                                    [&](const Entry& entry) { return entry.node == handle; });
    if (found == timers_.end()) return;
    *found = std::move(timers_.back());
    timers_.pop_back();
    std::make_heap(timers_.begin(), timers_.end(), later());
  }

  void drive() {
    std::unique_lock lock(mutex_);
    while (!stopped_) {
      if (timers_.empty()) {
        lock.unlock();
        parker_.park();
      } else if (const Instant next = timers_.front().deadline; !has_come(next)) {
        lock.unlock();
        sleep_until(next);
      } else {
        std::pop_heap(timers_.begin(), timers_.end(), later());
        const Handle node = std::move(timers_.back().node);
        timers_.pop_back();
        run(*node, lock);
        if (died_) return;
      }
      if (!lock.owns_lock()) lock.lock();
    }
  }

  void run(Node& node, std::unique_lock<std::mutex>& lock) {
    if (!node.start()) {
      if (has(Mistake::keeps_what_is_cancelled)) --dead_;
      return;
    }
    running_ = true;
    lock.unlock();
    const TaskRunner::InTask in_task(runner_);  // also while the task is destroyed
    in_a_task_ = true;
    if (has(Mistake::keeps_exceptions_to_itself)) {
      const TaskRunner silent(ErrorHandler{});
      silent.run(node);
    } else {
      const bool threw = runner_.run(node);
      died_ = threw && has(Mistake::dies_of_an_exception);
    }
    in_a_task_ = false;
    node.finish();
    lock.lock();
    running_ = false;
  }

  /// The last instant never comes.
  bool has_come(Instant deadline) const {
    return deadline != Instant::max() && deadline <= clock_.now();
  }

  void sleep_until(Instant deadline) {
    constexpr Duration kTick = std::chrono::milliseconds(1);
    const Instant next_tick = after(clock_.now(), kTick);
    park_until(parker_, has(Mistake::ticks) ? std::min(deadline, next_tick) : deadline);
  }

  static inline thread_local bool in_a_task_ = false;

  ClockType& clock_;
  const std::size_t max_pending_;
  const Mistake mistake_;
  TaskRunner runner_;
  typename ClockType::Parker parker_;

  mutable std::mutex mutex_;  // guards these
  std::vector<Entry> timers_;
  std::uint64_t turn_ = 0;
  std::size_t dead_ = 0;
  std::size_t lost_ = 0;
  bool running_ = false;
  bool stopped_ = false;

  bool died_ = false;  // used only by the thread
  std::mutex joining_;
  std::optional<typename ClockType::Thread> thread_;
};

}  // namespace timers
