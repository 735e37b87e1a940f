#pragma once

/// A timer service of another project than Timerbench: a list, sorted by deadline, behind a mutex,
/// and a thread that runs due timers.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <list>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "impls/clocks/clock.hpp"
#include "impls/services/parts/task_runner.hpp"
#include "impls/timer_service.hpp"

namespace foreign {

struct ListTimerOptions {
  timers::ErrorHandler on_error = timers::print_error;
};

template <timers::Clock ClockType>
class ListTimer {
 public:
  using Handle = std::uint64_t;  // 0 names no timer
  using Options = ListTimerOptions;
  static constexpr const char* name = "list_timer";

  explicit ListTimer(ClockType& clock, Options options = {})
      : clock_(clock),
        runner_(std::move(options.on_error)),
        parker_(clock),
        thread_(std::in_place, clock, [this] { work(); }) {}
  ~ListTimer() {
    end();
    std::exchange(pending_, {}).clear();  // A task that dies may call in.
  }

  Handle schedule(timers::Delay delay, timers::TimerTask task) {
    timers::require_task(task);
    const auto deadline = timers::deadline_after(clock_.now(), delay);
    List fresh;
    fresh.push_back({deadline, 0, std::move(task)});
    const std::lock_guard lock(mutex_);
    if (stopped_) throw timers::RejectedTask("this timer was stopped");
    fresh.front().handle = ++last_handle_;
    auto position = pending_.end();
    while (position != pending_.begin() && std::prev(position)->deadline > deadline) --position;
    if (position == pending_.begin()) parker_.unpark();
    pending_.splice(position, fresh);
    return last_handle_;
  }

  timers::CancelResult cancel(Handle handle) {
    if (handle == 0) return timers::CancelResult::gone;
    List dies_without_the_lock;
    const std::lock_guard lock(mutex_);
    if (handle == running_) return timers::CancelResult::running;
    const auto found = std::find_if(pending_.begin(), pending_.end(),
                                    [&](const Timer& timer) { return timer.handle == handle; });
    if (found == pending_.end()) return timers::CancelResult::gone;
    dies_without_the_lock.splice(dies_without_the_lock.end(), pending_, found);
    return timers::CancelResult::cancelled;
  }

  std::size_t pending() const {
    const std::lock_guard lock(mutex_);
    return pending_.size();
  }

  timers::Duration max_lateness() const { return timers::Duration::zero(); }

  std::vector<timers::TimerTask> stop() {
    end();
    std::vector<timers::TimerTask> never_ran;
    const std::lock_guard lock(mutex_);
    never_ran.reserve(pending_.size());  // If this throws, the next stop returns the tasks.
    for (Timer& timer : std::exchange(pending_, {})) never_ran.push_back(std::move(timer.task));
    return never_ran;
  }

 private:
  struct Timer {
    timers::Instant deadline;
    Handle handle;
    timers::TimerTask task;
  };
  using List = std::list<Timer>;

  void end() {
    runner_.refuse_from_task("stop");
    {
      const std::lock_guard lock(mutex_);
      stopped_ = true;
    }
    parker_.unpark();
    const std::lock_guard only_one_joins(joining_);
    thread_.reset();
  }

  void work() {
    std::unique_lock lock(mutex_);
    while (!stopped_) {
      if (pending_.empty()) {
        lock.unlock();
        parker_.park();
        lock.lock();
      } else if (const auto deadline = pending_.front().deadline; !has_come(deadline)) {
        lock.unlock();
        timers::park_until(parker_, deadline);
        lock.lock();
      } else {
        run_first(lock);
      }
    }
  }

  /// The last instant never comes.
  bool has_come(timers::Instant deadline) const {
    return deadline != timers::Instant::max() && deadline <= clock_.now();
  }

  void run_first(std::unique_lock<std::mutex>& lock) {
    List first;
    first.splice(first.end(), pending_, pending_.begin());
    running_ = first.front().handle;
    lock.unlock();
    {
      const timers::TaskRunner::InTask in_task(runner_);  // also while the task is destroyed
      runner_.run(first.front().task);
      first.clear();
    }
    lock.lock();
    running_ = 0;
  }

  ClockType& clock_;
  const timers::TaskRunner runner_;
  typename ClockType::Parker parker_;

  mutable std::mutex mutex_;  // guards these
  List pending_;
  Handle last_handle_ = 0;
  Handle running_ = 0;
  bool stopped_ = false;

  std::mutex joining_;
  std::optional<typename ClockType::Thread> thread_;  // the last member, because it uses all others
};

}  // namespace foreign
