#pragma once

/// How a queue with a published bug gets into the museum.
///
///     // Whatever is cancelled, the answer is yes.
///     struct SaysYes : RightQueue {
///       bool cancel(Handle handle) { return RightQueue::cancel(handle) || true; }
///     };
///     const QueueExhibit<SaysYes> says_yes;

#include <cstddef>
#include <string_view>

#include "impls/queues/ordered_map.hpp"
#include "impls/timer_queue.hpp"
#include "tests/conformance/queues/any_queue.hpp"
#include "tests/conformance/queues/queue_conformance.hpp"
#include "tests/museum/exhibits.hpp"

namespace timers::museum {

using Task = conformance::ProbeTask;

/// The queue that models spoil, and their control: the same without the bug.
using RightQueue = OrderedMap<Task>;

/// The same, for a model that needs to know the time.
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

/// Puts a queue into the museum, under the name of its file.
template <TimerQueue Queue>
class QueueExhibit {
 public:
  explicit QueueExhibit(std::string_view file = __builtin_FILE()) {
    exhibits().emplace_back([name = stem_of(file)] { conformance::register_queue<Queue>(name); });
  }
};

}  // namespace timers::museum
