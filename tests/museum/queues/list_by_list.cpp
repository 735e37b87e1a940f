// Timers of the same delay form a list. When a list is due, all its due timers run before those of
// another list.
//
// In Node, if the loop was late, it ran timers of 20 ms first. A timer of 10 ms ran after them,
// although it was due between them.
//
// Seen in: https://github.com/nodejs/node/pull/46644
// Caught by: RunsOverdueTimersInTheirOrder

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "tests/museum/queue_exhibit.hpp"

namespace timers::museum {
namespace {

class ListByList : public RightQueueWithTime {
 public:
  Handle insert(Tick deadline, Task task) {
    delays_.push_back({task.id(), deadline - now()});
    return RightQueueWithTime::insert(deadline, std::move(task));
  }

  template <class OnExpiry>
  std::size_t expire(Tick now, OnExpiry&& on_expiry, std::size_t limit = kNoLimit) {
    std::vector<std::pair<Tick, Task>> due;
    RightQueueWithTime::expire(
        now, [&](Tick deadline, Task task) { due.emplace_back(deadline, std::move(task)); }, limit);
    for (auto list = due.begin(); list != due.end();) {
      const Tick delay = delay_of(list->second);
      list = std::stable_partition(
          list, due.end(), [&](const auto& timer) { return delay_of(timer.second) == delay; });
    }
    for (auto& [deadline, task] : due) on_expiry(deadline, std::move(task));
    return due.size();
  }

 private:
  struct Entry {
    std::uint64_t id;
    Tick delay;
  };

  Tick delay_of(const Task& task) const {
    return std::find_if(delays_.rbegin(), delays_.rend(),
                        [&](const Entry& entry) { return entry.id == task.id(); })
        ->delay;
  }

  std::vector<Entry> delays_;
};

const QueueExhibit<ListByList> list_by_list;

}  // namespace
}  // namespace timers::museum
