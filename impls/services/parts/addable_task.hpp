#pragma once

/// A task with its delay, which can be added to a timer any number of times: the TimerTask of
/// Kafka's SystemTimer.
///
/// Each time the task becomes a new timer of the service, and its former timer is cancelled. Lock
/// order: first the service, then the task. The task holds no lock when it calls a service.

#include <memory>
#include <mutex>
#include <utility>

#include "impls/clocks/instant.hpp"
#include "impls/timer_service.hpp"
#include "impls/timer_task.hpp"

namespace timers {

/// Any thread may use it, as long as the timer to which it was added last lives. A run that is due
/// later takes place even if this object is gone by then. `Timer` is a service.
template <class Timer>
class AddableTask {
 public:
  /// Where the task waits, or waited.
  struct Place {
    Timer* timer = nullptr;
    typename Timer::Handle entry;

    void cancel() const {
      if (entry) timer->cancel(entry);
    }
  };

  /// Throws std::invalid_argument if there is no task.
  AddableTask(Delay delay, TimerTask task) : delay_(delay) {
    require_task(task);
    task_ = std::make_shared<TimerTask>(std::move(task));
  }

  /// Takes the task out of its timer, if it waits there.
  void cancel() { move_to({}).cancel(); }

  /// Whether the task was cancelled since it was added, or was never added. A task that ran is
  /// not cancelled.
  bool is_cancelled() const {
    const std::lock_guard lock(mutex_);
    return place_.entry == nullptr;
  }

  /// For the timer: what it schedules.
  Delay delay() const { return delay_; }
  TimerTask run() const {
    return [shared = task_] { (*shared)(); };
  }

  /// For the timer: the task waits at `place` from now on. Returns where it waited before.
  Place move_to(Place place) {
    const std::lock_guard lock(mutex_);
    return std::exchange(place_, std::move(place));
  }

  /// For the timer, which refuses the task after all: if the task still waits as `entry`, it waits
  /// at `former` again. If another thread has moved or cancelled it meanwhile, that holds.
  void move_back(const typename Timer::Handle& entry, const Place& former) {
    {
      const std::lock_guard lock(mutex_);
      if (place_.entry == entry) {
        place_ = former;
        return;
      }
    }
    former.cancel();
  }

 private:
  const Duration delay_;
  std::shared_ptr<TimerTask> task_;
  mutable std::mutex mutex_;  // guards the place
  Place place_;
};

}  // namespace timers
