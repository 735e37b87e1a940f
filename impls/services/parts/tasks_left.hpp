#pragma once

/// Takes the tasks that never ran when a service ends.
///
/// A service ends in the same way whether its user stops it or destroys it: it ends its threads,
/// says how many tasks are left at most, and only then takes them. A *sink* gets that number
/// first, then the tasks. If it throws at the number, nothing is lost: the user may stop again.

#include <cstddef>
#include <utility>
#include <vector>

#include "impls/timer_task.hpp"

namespace timers {

/// For a stop, which returns them.
struct KeptTasks {
  /// Makes room for `more` tasks. Throws std::bad_alloc if there is no memory.
  void expect(std::size_t more) { tasks.reserve(tasks.size() + more); }
  /// There must be room.
  void take(TimerTask&& task) { tasks.push_back(std::move(task)); }

  std::vector<TimerTask> tasks;
};

/// For a destructor: it needs no memory. Each task dies when it is taken.
struct DroppedTasks {
  static void expect(std::size_t) {}
  static void take(TimerTask&& task) { const TimerTask dies = std::move(task); }
};

}  // namespace timers
