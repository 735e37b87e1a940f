#pragma once

/// Wrong on purpose: it walks through a list, but promises the work of a tree.

#include "impls/timer_queue.hpp"
#include "sorted_list.hpp"

namespace foreign {

template <class Task>
class SilentList : public SortedList<Task> {
 public:
  static constexpr const char* name = "silent_list";
  static constexpr timers::Growth growth = timers::Growth::logarithmic;
};

}  // namespace foreign
