// All that is due is collected first, and then run. A callback cannot cancel what is collected.
//
// In muduo a timer that was cancelled by the one before it ran all the same. In Asio, too: a timer
// whose handler is queued cannot be cancelled any more.
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
