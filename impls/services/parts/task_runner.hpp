#pragma once

/// Runs the tasks of a service: no exception gets out, and no task waits for itself.

#include <exception>
#include <stdexcept>
#include <string>
#include <utility>

#include "impls/services/parts/left_in_child.hpp"
#include "impls/timer_service.hpp"

namespace timers {

class TaskRunner {
 public:
  /// While one lives, its thread counts as in a task of the runner. A service makes one also where
  /// its thread destroys a task: the destructor may call what the task may call.
  class InTask {
   public:
    explicit InTask(const TaskRunner& runner)
        : runner_(runner), outer_(std::exchange(innermost_, this)) {}
    InTask(const InTask&) = delete;
    InTask& operator=(const InTask&) = delete;
    ~InTask() { innermost_ = outer_; }

   private:
    friend TaskRunner;

    const TaskRunner& runner_;
    const InTask* outer_;
    const unsigned began_after_ = ForkCount::get();
  };

  explicit TaskRunner(ErrorHandler on_error) : on_error_(std::move(on_error)) {}
  TaskRunner(const TaskRunner&) = delete;
  TaskRunner& operator=(const TaskRunner&) = delete;

  /// Runs `task()`. What it throws goes to the handler of errors. Returns whether it threw.
  template <class Task>
  bool run(Task& task) const noexcept {
    const InTask in_task(*this);
    try {
      task();
      return false;
    } catch (...) {
      report(std::current_exception());
      return true;
    }
  }

  /// Runs the task of a timer for the last time, and destroys the task by a call of
  /// `timer.finish()`.
  template <class Timer>
  void run_last(Timer& timer) const noexcept {
    const InTask in_task(*this);
    run(timer);
    timer.finish();
  }

  /// Gives an exception to the handler of errors.
  void report(const std::exception_ptr& error) const noexcept {
    const InTask in_task(*this);
    if (on_error_) on_error_(error);
  }

  /// Whether the caller is in a task of this runner. If a task forks, the child is in none: there
  /// the task's runner is over, and another one may have its address.
  bool runs_this_thread() const {
    const InTask* task = innermost_;
    while (task != nullptr && &task->runner_ != this) task = task->outer_;
    return task != nullptr && task->began_after_ == ForkCount::get();
  }

  /// Throws std::logic_error if the caller is in a task of this runner.
  void refuse_from_task(const char* call) const {
    if (!runs_this_thread()) return;
    throw std::logic_error(std::string(call) +
                           " waits for the tasks that run, and was called by one");
  }

 private:
  static inline thread_local const InTask* innermost_ = nullptr;

  ErrorHandler on_error_;
};

}  // namespace timers
