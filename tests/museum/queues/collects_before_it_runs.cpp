// All due timers are collected first, and then run. A callback cannot cancel a timer that is
// collected.
//
// In muduo a timer ran even if the callback before it had cancelled it. Asio does the same: a timer
// whose handler is queued can no longer be cancelled.
//
// Seen in: https://github.com/chenshuo/muduo/issues/668
// Seen in: https://github.com/chriskohlhoff/asio/issues/878
// Caught by: DoesNotRunWhatACallbackOfTheSameCallCancels

#include <cstddef>
#include <utility>
#include <vector>

#include "tests/museum/queue_exhibit.hpp"

namespace timers::museum {
namespace {

struct CollectsBeforeItRuns : RightQueue {
  template <class OnExpiry>
  std::size_t expire(Tick now, OnExpiry&& on_expiry, std::size_t limit = kNoLimit) {
    std::vector<std::pair<Tick, Task>> due;
    RightQueue::expire(
        now, [&](Tick deadline, Task task) { due.emplace_back(deadline, std::move(task)); }, limit);
    for (auto& [deadline, task] : due) on_expiry(deadline, std::move(task));
    return due.size();
  }
};

const QueueExhibit<CollectsBeforeItRuns> collects_before_it_runs;

}  // namespace
}  // namespace timers::museum
