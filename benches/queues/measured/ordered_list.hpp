#pragma once

/// A single list of all timers, in the order of their deadlines.
///
/// Scheme 2 of Varghese & Lauck (1987). VMS and the UNIX systems of that time used it, with a
/// search from the front. Here an insert searches from the rear. So timers of one delay go to the
/// end at once, and equal deadlines stay in the order of their insertion.
///
///     insert       O(n): it passes all timers that are due later
///     cancel       O(1)
///     re-arm       O(n)
///     expire       O(1) a timer
///     next_expiry  O(1), exact
///
/// It is not in the catalog: with a million timers an insert takes milliseconds. The program
/// `schemes` counts its cost with few timers.

#include <cstddef>
#include <optional>
#include <utility>

#include "impls/queues/parts/timer_buckets.hpp"
#include "impls/timer_queue.hpp"

namespace timers::benches {

template <class TaskType>
class OrderedList {
 public:
  using Task = TaskType;
  using Handle = TimerHandle;
  static constexpr const char* name = "ordered_list";
  static constexpr Growth growth = Growth::linear;

  Handle insert(Tick deadline, Task task) {
    deadline = time_.deadline_for(deadline);
    timers_.reserve_one();
    const Handle handle = timers_.insert(list(), deadline, std::move(task));
    passed_ += timers_.sort_in(handle.index);
    return handle;
  }

  bool cancel(Handle handle) {
    return timers_.if_alive(handle, [this](Index index) { return timers_.remove(index); });
  }

  bool rearm(Handle handle, Tick deadline) {
    return timers_.if_alive(handle, [&](Index index) {
      timers_.move(index, list(), time_.deadline_for(deadline));
      passed_ += timers_.sort_in(index);
    });
  }

  template <class OnExpiry>
  std::size_t expire(Tick now, OnExpiry&& on_expiry, std::size_t limit = kNoLimit) {
    if (!time_.move_to(now)) return 0;
    return time_.run(limit, [&] {
      const Index first = timers_.front(kAll);
      if (first == Timers::kNone || timers_.deadline(first) > time_.now()) return false;
      const Tick deadline = timers_.deadline(first);
      on_expiry(deadline, timers_.remove(first));
      return true;
    });
  }

  std::optional<Tick> next_expiry() const {
    const Index first = timers_.front(kAll);
    if (first != Timers::kNone) return timers_.deadline(first);
    return size() == 0 ? std::nullopt : std::optional(kEndOfTime);
  }

  std::size_t size() const { return timers_.size(); }

  /// How many timers all inserts and re-arms together have passed.
  std::size_t passed() const { return passed_; }

 private:
  using Timers = TimerBuckets<Task>;
  using Index = typename Timers::Index;
  using Bucket = typename Timers::Bucket;
  static constexpr Bucket kAll = 0;
  static constexpr Bucket kNever = 1;  // timers that were set at the end of time

  Bucket list() const { return time_.has_ended() ? kNever : kAll; }

  VirtualTime time_;
  Timers timers_{2};
  std::size_t passed_ = 0;
};

}  // namespace timers::benches
