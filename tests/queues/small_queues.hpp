#pragma once

/// Queues so small that they reach their edges all the time.

#include <cstdint>

#include "impls/catalog.hpp"

namespace timers {

/// Renumbers the timers of a heap after every 16 insertions.
struct FewNumbers : FifoTies {
  static constexpr const char* heap_name = "min_heap_16_numbers";
  static constexpr std::uint64_t kNumbers = 16;
};

template <class Task>
using SmallQueues = TypeList<    //
    MinHeap<Task, FewNumbers>,   //
    PriorityQueue<Task, 16>,     //
    DurationLists<Task, 1>,      //
    TwoTier<Task, 16>,           //
    HashedWheel<Task, 8>,        //
    CalendarQueue<Task, 2>,      //
    HierarchicalWheel<Task, 2>,  //
    LadderQueue<Task, 2>,        //
    CoarseWheel<Task, 3, 1>,     //
    YieldingWheel<Task, 3>,      //
    LazyWheel<Task, 2>>;

}  // namespace timers
