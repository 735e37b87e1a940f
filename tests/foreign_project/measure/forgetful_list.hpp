#pragma once

/// Wrong on purpose: it forgets every hundredth timer.

#include <utility>

#include "../sorted_list.hpp"

namespace foreign {

template <class Task>
class ForgetfulList : public SortedList<Task> {
 public:
  static constexpr const char* name = "forgetful_list";

  typename SortedList<Task>::Handle insert(timers::Tick deadline, Task task) {
    const auto handle = SortedList<Task>::insert(deadline, std::move(task));
    if (handle % 100 == 0) SortedList<Task>::cancel(handle);
    return handle;
  }
};

}  // namespace foreign
