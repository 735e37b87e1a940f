#pragma once

/// Everything that is tested and measured: one line each.
///
/// Tests, benches and charts loop over these lists and know no implementation by name. To add a
/// queue, write its header and put its type here.

#include <bit>
#include <cstddef>

#include "impls/queues/boost_heap.hpp"
#include "impls/queues/hashed_wheel.hpp"
#include "impls/queues/hierarchical_wheel.hpp"
#include "impls/queues/min_heap.hpp"
#include "impls/queues/ordered_map.hpp"
#include "impls/queues/priority_queue.hpp"
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
using TimerQueues = TypeList<          //
    OrderedMap<Task>,                  //
    MinHeap<Task>,                     //
    MinHeap<Task, HeapTies>,           //
    PriorityQueue<Task>,               //
    BoostHeap<Task, DAryRecipe>,       //
    BoostHeap<Task, PairingRecipe>,    //
    BoostHeap<Task, FibonacciRecipe>,  //
    HashedWheel<Task>,                 //
    HashedWheel<Task, 4096>,           //
    HierarchicalWheel<Task>>;

/// What a queue of the catalog must promise at least: everything, unless it is excused here.
template <class Queue>
inline constexpr Promises kMustPromise{};

template <class Task>  // The bare heap of the JDK has an order of its own among equal deadlines.
inline constexpr Promises kMustPromise<MinHeap<Task, HeapTies>>{.fifo = false};

template <class Task>  // Lazy deletion: at most as many dead as there are living.
inline constexpr Promises kMustPromise<PriorityQueue<Task>>{.max_garbage = 1};

template <class Task, std::size_t Buckets>  // The ring passes a bucket once a turn.
inline constexpr Promises kMustPromise<HashedWheel<Task, Buckets>>{
    .max_wakes = [](Tick delay) -> Tick { return delay / Buckets + 1; }};

template <class Task, unsigned Bits>  // A timer cascades at most once a level of its delay.
inline constexpr Promises kMustPromise<HierarchicalWheel<Task, Bits>>{
    .max_wakes = [](Tick delay) -> Tick { return (std::bit_width(delay | 1) - 1) / Bits + 2; }};

}  // namespace timers
