#pragma once

/// What a user may ask of a ScheduledThreadPool.

#include <cstddef>

#include "impls/timer_service.hpp"

namespace timers {

struct ScheduledThreadPoolOptions {
  /// How many tasks may run at the same time. Each call that schedules starts a thread, until there
  /// are this many threads. 0 counts as 1.
  std::size_t threads = 1;
  /// Whether a task that is cancelled leaves the queue at once. If not, it leaves when it is due or
  /// purged.
  bool remove_on_cancel = true;
  /// Whether tasks that wait at a shutdown will run. Tasks that are due by then run anyway.
  bool execute_existing_delayed_tasks_after_shutdown = true;
  /// Whether periodic tasks go on after a shutdown, until they are cancelled.
  bool continue_existing_periodic_tasks_after_shutdown = false;
  /// Gets what a task throws, if the task has no future.
  ErrorHandler on_error = print_error;
};

}  // namespace timers
