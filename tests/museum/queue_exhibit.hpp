#pragma once

/// How to put a queue with a published bug into the museum.
///
///     // Whatever is cancelled, the answer is yes.
///     struct SaysYes : RightQueue {
///       bool cancel(Handle handle) { return RightQueue::cancel(handle) || true; }
///     };
///     const QueueExhibit<SaysYes> says_yes;

#include <cstddef>
#include <optional>
#include <string_view>
#include <utility>

#include "impls/queues/ordered_map.hpp"
#include "impls/timer_queue.hpp"
#include "tests/conformance/queues/any_queue.hpp"
#include "tests/conformance/queues/queue_conformance.hpp"
#include "tests/museum/exhibits.hpp"

namespace timers::museum {

using Task = conformance::ProbeTask;

/// The queue that models change, and also their control: the same without the bug.
using RightQueue = OrderedMap<Task>;

/// The same, for a model that needs the current time.
class RightQueueWithTime : public RightQueue {
 public:
  Tick now() const { return time_.now(); }

  template <class OnExpiry>
  std::size_t expire(Tick now, OnExpiry&& on_expiry, std::size_t limit = kNoLimit) {
    if (!time_.move_to(now)) return 0;
    std::size_t ran = 0;
    time_.run(1, [&] {
      ran = RightQueue::expire(now, on_expiry, limit);
      return true;
    });
    return ran;
  }

 private:
  VirtualTime time_;
};

/// The same, for a model that forgets to compute its next expiry again.
class RightQueueWithAlarm : public RightQueue {
 public:
  Handle insert(Tick deadline, Task task) {
    const Handle handle = RightQueue::insert(deadline, std::move(task));
    set_alarm();
    return handle;
  }
  bool cancel(Handle handle) {
    const bool was_pending = RightQueue::cancel(handle);
    set_alarm();
    return was_pending;
  }
  bool rearm(Handle handle, Tick deadline) {
    const bool was_pending = RightQueue::rearm(handle, deadline);
    set_alarm();
    return was_pending;
  }
  template <class OnExpiry>
  std::size_t expire(Tick now, OnExpiry&& on_expiry, std::size_t limit = kNoLimit) {
    const std::size_t ran = RightQueue::expire(now, on_expiry, limit);
    set_alarm();
    return ran;
  }
  std::optional<Tick> next_expiry() const { return alarm_; }

 protected:
  void set_alarm() { alarm_ = RightQueue::next_expiry(); }

 private:
  std::optional<Tick> alarm_;
};

/// The same, for a model that miscounts the rounds of a hashed wheel. `is_one_too_many(now, delay)`
/// says which timers wait one turn of `kBuckets` ticks too long.
template <class Model, Tick kBuckets>
class CountsRounds : public RightQueueWithTime {
 public:
  Handle insert(Tick deadline, Task task) {
    return RightQueueWithTime::insert(with_rounds(deadline), std::move(task));
  }
  bool rearm(Handle handle, Tick deadline) {
    return RightQueueWithTime::rearm(handle, with_rounds(deadline));
  }

 private:
  Tick with_rounds(Tick deadline) const {
    if (deadline <= now() || deadline > kEndOfTime - kBuckets) return deadline;
    return Model::is_one_too_many(now(), deadline - now()) ? deadline + kBuckets : deadline;
  }
};

/// Puts a queue into the museum, under the name of its file.
template <TimerQueue Queue>
class QueueExhibit {
 public:
  explicit QueueExhibit(std::string_view file = __builtin_FILE()) {
    exhibits().emplace_back([name = stem_of(file)] { conformance::register_queue<Queue>(name); });
  }
};

}  // namespace timers::museum
