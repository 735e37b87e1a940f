#pragma once

/// Wrong on purpose: a cancel always says that it cancelled its timer.

#include "sorted_list.hpp"

namespace foreign {

template <class Task>
class CarelessList : public SortedList<Task> {
 public:
  static constexpr const char* name = "careless_list";

  bool cancel(typename SortedList<Task>::Handle handle) {
    SortedList<Task>::cancel(handle);
    return true;
  }
};

}  // namespace foreign
