#pragma once

/// The queues that the harness of the benches is tried with.

#include <type_traits>

#include "impls/catalog.hpp"
#include "impls/type_list.hpp"
#include "tests/conformance/sanitizers.hpp"

namespace timers {

/// All of the catalog. Under a sanitizer it is one of each shape, as it is the harness that is
/// looked at there: the kit looks at all queues.
template <class Task>
using ProvingQueues = std::conditional_t<
    conformance::kSanitized,
    TypeList<OrderedMap<Task>, PriorityQueue<Task>, HierarchicalWheel<Task>, LazyWheel<Task>>,
    TimerQueues<Task>>;

}  // namespace timers
