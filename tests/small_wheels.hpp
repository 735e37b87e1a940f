#pragma once

/// Wheels so small that their edges are met all the time.

#include "impls/catalog.hpp"

namespace timers {

template <class Task>
using SmallWheels = TypeList<HashedWheel<Task, 8>, HierarchicalWheel<Task, 2>, LazyWheel<Task, 2>>;

}  // namespace timers
