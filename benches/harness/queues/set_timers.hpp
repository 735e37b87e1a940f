#pragma once

/// The timers that a program holds while a queue goes through a schedule: as handles, or as owners
/// of timers that stay. A step names a timer by its slot. Each verb gets the queue as an argument:
/// a stored reference would cost two instructions an operation.

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "benches/workloads/random.hpp"
#include "benches/workloads/schedule.hpp"
#include "impls/timer_queue.hpp"

namespace timers::benches {

/// The task of every measured timer that does not stay: the number of the step that set it.
using Task = std::uint64_t;

/// Marks a queue that is measured with timers that stay. The queue itself is the same.
template <HasStayingTimers Queue>
struct Staying : Queue {
  static inline const std::string name = std::string(Queue::name) + "_staying";
};

/// Marks a queue that is measured beside timers that stay, with timers that are made anew. Its
/// handles also belong to objects of the program. The queue itself is the same.
template <TimerQueue Queue>
struct MadeAnew : Queue {};

/// The size of a program's object, which has one timer: a line of the cache.
inline constexpr std::size_t kBytesOfObject = 64;

/// Timers that are made anew for each insert. Their handles lie side by side, or so many bytes
/// apart.
template <TimerQueue Queue, std::size_t kApart = alignof(typename Queue::Handle)>
class TimersByHandle {
 public:
  static constexpr bool kCanRearm = CanRearm<Queue>;

  TimersByHandle(Queue&, std::size_t slots) : objects_(slots) {
    if constexpr (!CanRearm<Queue>) tasks_.resize(slots);
  }

  void insert(Queue& queue, const Step& step) { insert(queue, step, step.line); }

  bool cancel(Queue& queue, const Step& step) { return queue.cancel(objects_[step.slot()].handle); }

  /// Returns whether the timer was pending; now it is. For a queue that cannot re-arm, this is a
  /// cancel and an insert. The insert needs the task, which is kept here.
  bool rearm(Queue& queue, const Step& step) {
    if constexpr (CanRearm<Queue>) {
      if (queue.rearm(objects_[step.slot()].handle, step.tick)) return true;
      insert(queue, step, step.line);
      return false;
    } else {
      const bool was_pending = queue.cancel(objects_[step.slot()].handle);
      insert(queue, step, was_pending ? tasks_[step.slot()] : step.line);
      return was_pending;
    }
  }

  /// Calls `expired(deadline, line)` with the number of the step that set the timer.
  template <class Expired>
  static std::size_t expire(Queue& queue, Tick now, Expired expired) {
    return queue.expire(now, [&](Tick deadline, Task task) { expired(deadline, task); });
  }

 private:
  void insert(Queue& queue, const Step& step, Task task) {
    objects_[step.slot()].handle = queue.insert(step.tick, task);
    if constexpr (!CanRearm<Queue>) tasks_[step.slot()] = task;
  }

  struct alignas(kApart) Object {
    typename Queue::Handle handle;
  };

  std::vector<Object> objects_;
  std::vector<Task> tasks_;  // empty if the queue can re-arm
};

/// Timers that are made once. Each belongs to an object of the program, which also knows the step
/// that armed the timer while it was not pending. The task is the slot of the object.
///
/// The cells of timers are in another order than the objects, as those of cancelled timers are in
/// another order than their handles. If a program went through its timers in the order of memory,
/// no call would wait for memory.
template <class Queue>
class TimersThatStay {
 public:
  static constexpr bool kCanRearm = true;

  TimersThatStay(Queue& queue, std::size_t slots) : objects_(slots) {
    Random random(1);
    for (const std::uint32_t slot : random_order(slots, random)) {
      objects_[slot].timer = queue.make(slot);
    }
  }

  void insert(Queue& queue, const Step& step) {
    Object& object = objects_[step.slot()];
    queue.arm(object.timer, step.tick);
    object.line = step.line;
  }

  bool cancel(Queue& queue, const Step& step) { return queue.disarm(objects_[step.slot()].timer); }

  /// Returns whether the timer was pending; now it is.
  bool rearm(Queue& queue, const Step& step) {
    Object& object = objects_[step.slot()];
    const bool was_pending = queue.arm(object.timer, step.tick);
    if (!was_pending) object.line = step.line;
    return was_pending;
  }

  template <class Expired>
  std::size_t expire(Queue& queue, Tick now, Expired expired) const {
    return queue.expire(
        now, [&](Tick deadline, const Task& task) { expired(deadline, objects_[task].line); });
  }

 private:
  struct alignas(kBytesOfObject) Object {
    typename Queue::Timer timer;
    std::uint64_t line = 0;
  };

  std::vector<Object> objects_;
};

template <class Queue>
struct TimersOfQueue {
  using Type = TimersByHandle<Queue>;
};
template <class Queue>
struct TimersOfQueue<MadeAnew<Queue>> {
  using Type = TimersByHandle<MadeAnew<Queue>, kBytesOfObject>;
};
template <class Queue>
struct TimersOfQueue<Staying<Queue>> {
  using Type = TimersThatStay<Staying<Queue>>;
};
template <class Queue>
using TimersOf = typename TimersOfQueue<Queue>::Type;

}  // namespace timers::benches
