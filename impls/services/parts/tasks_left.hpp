#pragma once

/// Where the tasks go that never ran when a service ends.
///
/// A service ends in the same way whether its user stops it or destroys it: it ends its threads,
/// says how many tasks are left at most, and only then takes them. A *sink* hears how many, and
/// gets the tasks. If it throws when it hears how many, nothing is lost: the user may stop again.

#include <cstddef>
#include <utility>
#include <vector>

#include "impls/timer_task.hpp"

namespace timers {

/// For a stop, which returns them.
struct KeptTasks {
  /// Makes room for so many more. Throws std::bad_alloc if there is none.
  void expect(std::size_t more) { tasks.reserve(tasks.size() + more); }
  /// There must be room.
  void take(TimerTask&& task) { tasks.push_back(std::move(task)); }

  std::vector<TimerTask> tasks;
};

/// For a destructor, which needs no memory. Each task dies as it is taken.
struct DroppedTasks {
  static void expect(std::size_t) {}
  static void take(TimerTask&& task) { const TimerTask dies = std::move(task); }
};

}  // namespace timers
