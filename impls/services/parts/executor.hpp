#pragma once

/// Where the tasks of a service run: on its own thread, or handed over to others.

#include <cstddef>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "impls/clocks/clock.hpp"
#include "impls/services/parts/left_in_child.hpp"
#include "impls/services/parts/task_runner.hpp"
#include "impls/timer_service.hpp"
#include "impls/timer_task.hpp"

namespace timers {

class Executor {
 public:
  Executor() = default;
  Executor(const Executor&) = delete;
  Executor& operator=(const Executor&) = delete;
  virtual ~Executor() = default;

  /// Runs `task`, now or later, here or on another thread. Throws RejectedTask if it will not.
  virtual void execute(TimerTask task) = 0;
};

/// Runs a task at once, on the thread that hands it over. A task that schedules another one without
/// delay may run it within its own call. So a task that repeats and always takes longer than its
/// period would never return: give it a PoolExecutor.
class InlineExecutor final : public Executor {
 public:
  void execute(TimerTask task) override {
    require_task(task);
    task();
  }
};

/// Runs tasks on threads of its own: each as soon as one is free, in the order in which they came.
/// A forked process may destroy it, and must do nothing else with it. The same holds for a service.
template <Clock ClockType>
class PoolExecutor final : public Executor {
 public:
  /// Throws std::invalid_argument if `threads` is 0, and std::system_error if the system does not
  /// give that many threads.
  PoolExecutor(ClockType& clock, std::size_t threads, ErrorHandler on_error = print_error)
      : runner_(std::move(on_error)) {
    if (threads == 0) throw std::invalid_argument("a pool needs at least 1 thread, and got 0");
    for (std::size_t i = 0; i < threads; ++i) {
      workers_->push_back(std::make_unique<Worker>(clock));
    }
    idle_->reserve(threads);  // so that no worker runs out of memory
    try {
      for (auto& worker : *workers_) {
        worker->thread.emplace(clock, [this, &parker = worker->parker] { work(parker); });
      }
    } catch (...) {
      end();  // Some threads may have started.
      throw;
    }
  }

  ~PoolExecutor() override {
    if (workers_.is_left()) return;
    end();
    while (!waiting_->empty()) {
      const TimerTask dies = std::move(waiting_->front());
      waiting_->pop_front();
    }
  }

  /// O(1).
  void execute(TimerTask task) override {
    require_task(task);
    const std::lock_guard lock(mutex_);
    if (stopped_) throw RejectedTask("a pool that was stopped takes no task");
    waiting_->push_back(std::move(task));
    if (idle_->empty()) return;
    idle_->back()->unpark();
    idle_->pop_back();
  }

  /// How many tasks wait for a thread.
  std::size_t waiting() const {
    const std::lock_guard lock(mutex_);
    return waiting_->size();
  }

  /// Accepts nothing more, waits for the tasks that run, ends the threads, and returns the tasks
  /// that never ran. Throws std::logic_error if one of its own tasks calls it.
  std::vector<TimerTask> stop() {
    end();
    const std::lock_guard lock(mutex_);
    std::vector<TimerTask> never_ran;
    never_ran.reserve(waiting_->size());
    for (TimerTask& task : *waiting_) never_ran.push_back(std::move(task));
    waiting_->clear();
    return never_ran;
  }

 private:
  using Parker = typename ClockType::Parker;

  struct Worker {
    explicit Worker(ClockType& clock) : parker(clock) {}
    Parker parker;
    std::optional<typename ClockType::Thread> thread;
  };

  /// Accepts nothing more, and ends the threads.
  void end() {
    runner_.refuse_from_task("stop");
    {
      const std::lock_guard lock(mutex_);
      stopped_ = true;
      for (Parker* parker : *idle_) parker->unpark();
      idle_->clear();
    }
    const std::lock_guard only_one_joins(joining_);
    for (auto& worker : *workers_) worker->thread.reset();
  }

  void work(Parker& parker) {
    std::unique_lock lock(mutex_);
    while (!stopped_) {
      if (waiting_->empty()) {
        idle_->push_back(&parker);
        lock.unlock();
        parker.park();
      } else {
        TimerTask task = std::move(waiting_->front());
        waiting_->pop_front();
        lock.unlock();
        const TaskRunner::InTask in_task(runner_);
        runner_.run(task);
        task = nullptr;
      }
      lock.lock();
    }
  }

  TaskRunner runner_;
  mutable std::mutex mutex_;  // guards all of these
  LeftInChild<std::deque<TimerTask>> waiting_;
  LeftInChild<std::vector<Parker*>> idle_;  // of the workers that are parked, or about to be
  bool stopped_ = false;

  std::mutex joining_;
  LeftInChild<std::vector<std::unique_ptr<Worker>>> workers_;
};

}  // namespace timers
