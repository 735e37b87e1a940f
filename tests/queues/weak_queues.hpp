#pragma once

/// Queues that promise and offer as little as the contract allows, to see that the kit bears with
/// them. They are right; only their promises are weak.

#include <cstddef>
#include <map>
#include <utility>

#include "impls/queues/ordered_map.hpp"
#include "impls/timer_queue.hpp"

namespace timers {

/// A queue without any ability.
template <class TaskType>
class PlainQueue {
 public:
  using Task = TaskType;
  using Handle = typename OrderedMap<Task>::Handle;
  static constexpr const char* name = "plain";

  Handle insert(Tick deadline, Task task) { return queue_.insert(deadline, std::move(task)); }
  bool cancel(Handle handle) { return queue_.cancel(handle); }
  template <class OnExpiry>
  std::size_t expire(Tick now, OnExpiry&& on_expiry) {
    return queue_.expire(now, on_expiry);
  }
  std::size_t size() const { return queue_.size(); }

 private:
  OrderedMap<Task> queue_;
};

/// A queue that looks at its timers every eighth tick only, and keeps no order within eight.
template <class TaskType>
class LateQueue {
  struct Late;

 public:
  using Task = TaskType;
  using Handle = typename OrderedMap<Task>::Handle;
  static constexpr const char* name = "late";
  static constexpr bool expires_in_order = false;
  static constexpr Tick max_lateness(Tick) { return kGrain - 1; }

  Handle insert(Tick wanted, Task task) {
    const Tick deadline = time_.deadline_for(wanted);
    const Tick beyond = deadline % kGrain;
    const Tick late = beyond == 0 || deadline > kEndOfTime - kGrain ? 0 : kGrain - beyond;
    return queue_.insert(deadline + late, Late{deadline, std::move(task)});
  }
  bool cancel(Handle handle) { return queue_.cancel(handle); }
  template <class OnExpiry>
  std::size_t expire(Tick now, OnExpiry&& on_expiry) {
    if (!time_.move_to(now)) return 0;
    std::size_t ran = 0;
    time_.run(1, [&] {
      ran = queue_.expire(now,
                          [&](Tick, Late late) { on_expiry(late.deadline, std::move(late.task)); });
      return true;
    });
    return ran;
  }
  std::size_t size() const { return queue_.size(); }

 private:
  static constexpr Tick kGrain = 8;

  struct Late {
    Tick deadline;
    Task task;
  };

  VirtualTime time_;
  OrderedMap<Late> queue_;
};

}  // namespace timers
