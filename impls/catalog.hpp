#pragma once

/// Everything that is tested and measured: one line each.
///
/// Tests, benches and charts loop over these lists and know no implementation by name. To add a
/// queue, write its header and put its type here.

#include "impls/queues/ordered_map.hpp"
#include "impls/timer_queue.hpp"

namespace timers {

template <class... Types>
struct TypeList {};

/// Calls `visit.template operator()<Type>()` for each type of the list, in order.
template <class... Types, class Visitor>
void for_each_type(TypeList<Types...>, Visitor visit) {
  (visit.template operator()<Types>(), ...);
}

/// The timer queues. The first is the reference that all the others are held against.
template <class Task>
using TimerQueues = TypeList<OrderedMap<Task>>;

/// What a queue of the catalog must promise at least: everything, unless it is excused below.
template <class Queue>
inline constexpr Promises kMustPromise{};

}  // namespace timers
