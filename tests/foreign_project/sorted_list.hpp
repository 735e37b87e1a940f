#pragma once

/// A timer queue of another project than Timerbench: a list, sorted by deadline. It offers only
/// what the contract demands: it cannot re-arm, limit an expire or name the next expiry. It
/// declares that its work is linear; without this the kit would reject it.

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <list>
#include <utility>

#include "impls/timer_queue.hpp"

namespace foreign {

template <class TaskType>
class SortedList {
 public:
  using Task = TaskType;
  using Handle = std::uint64_t;  // 0 names no timer
  static constexpr const char* name = "sorted_list";
  static constexpr timers::Growth growth = timers::Growth::linear;

  SortedList() = default;
  SortedList(SortedList&&) = default;  // says that it cannot be copied: std::list always claims
                                       // that it can
  SortedList& operator=(SortedList&&) = default;

  Handle insert(timers::Tick deadline, Task task) {
    deadline = time_.deadline_for(deadline);
    List& list = time_.has_ended() ? unreachable_ : pending_;
    auto position = list.end();
    while (position != list.begin() && std::prev(position)->deadline > deadline) --position;
    list.insert(position, Timer{deadline, last_handle_ + 1, std::move(task)});
    return ++last_handle_;
  }

  bool cancel(Handle handle) {
    for (List* list : {&pending_, &unreachable_}) {
      for (auto timer = list->begin(); timer != list->end(); ++timer) {
        if (timer->handle != handle) continue;
        List dies_when_all_is_done;
        dies_when_all_is_done.splice(dies_when_all_is_done.end(), *list, timer);
        return true;
      }
    }
    return false;
  }

  template <class OnExpiry>
  std::size_t expire(timers::Tick now, OnExpiry&& on_expiry) {
    if (!time_.move_to(now)) return 0;
    return time_.run(timers::kNoLimit, [&] {
      if (pending_.empty() || pending_.front().deadline > time_.now()) return false;
      List first;
      first.splice(first.end(), pending_, pending_.begin());
      on_expiry(first.front().deadline, std::move(first.front().task));
      return true;
    });
  }

  std::size_t size() const { return pending_.size() + unreachable_.size(); }

 private:
  struct Timer {
    timers::Tick deadline;
    Handle handle;
    Task task;
  };
  using List = std::list<Timer>;

  timers::VirtualTime time_;
  Handle last_handle_ = 0;
  List pending_;
  List unreachable_;  // timers that were set at the end of time
};

}  // namespace foreign
