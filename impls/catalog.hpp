#pragma once

/// Everything that is tested and measured: one line each.
///
/// Tests, benches and charts loop over these lists and know no implementation by name. To add a
/// queue or a service, write its header and put its line here; listed.hpp says what a line has.

#include <bit>
#include <chrono>
#include <cstddef>

#include "impls/listed.hpp"
#include "impls/measured_settings.hpp"
#include "impls/queues/boost_heap.hpp"
#include "impls/queues/calendar_queue.hpp"
#include "impls/queues/coarse_wheel.hpp"
#include "impls/queues/duration_lists.hpp"
#include "impls/queues/hashed_wheel.hpp"
#include "impls/queues/hierarchical_wheel.hpp"
#include "impls/queues/ladder_queue.hpp"
#include "impls/queues/lazy_wheel.hpp"
#include "impls/queues/min_heap.hpp"
#include "impls/queues/ordered_map.hpp"
#include "impls/queues/priority_queue.hpp"
#include "impls/queues/radix_set.hpp"
#include "impls/queues/rb_tree.hpp"
#include "impls/queues/skip_list.hpp"
#include "impls/queues/two_tier.hpp"
#include "impls/queues/yielding_wheel.hpp"
#include "impls/services/delay_queue_timer.hpp"
#include "impls/services/hashed_wheel_timer.hpp"
#include "impls/services/heap_timer.hpp"
#include "impls/services/hierarchical_wheel_timer.hpp"
#include "impls/services/queue_timer.hpp"
#include "impls/services/scheduled_thread_pool.hpp"
#include "impls/services/simple_wheel_timer.hpp"
#include "impls/timer_queue.hpp"
#include "impls/timer_service.hpp"
#include "impls/timer_task.hpp"
#include "impls/type_list.hpp"

namespace timers {

/// The timer queues. The first one is the reference for all others. Where a chart shows one queue
/// of a family, it shows the first one of that family.
template <class Task>
using QueueCatalog = TypeList<                                            //
    ListedQueue<OrderedMap<Task>, Family::trees>,                         //
    ListedQueue<RbTree<Task>, Family::trees>,                             //
    ListedQueue<SkipList<Task>, Family::lists>,                           //
    ListedQueue<DurationLists<Task>, Family::lists>,                      //
    ListedQueue<MinHeap<Task>, Family::heaps>,                            //
    ListedQueue<MinHeap<Task, HeapTies>, Family::heaps>,                  //
    ListedQueue<PriorityQueue<Task>, Family::heaps>,                      //
    ListedQueue<TwoTier<Task>, Family::heaps>,                            //
    ListedQueue<BoostHeap<Task, DAryRecipe>, Family::linked_heaps>,       //
    ListedQueue<BoostHeap<Task, PairingRecipe>, Family::linked_heaps>,    //
    ListedQueue<BoostHeap<Task, FibonacciRecipe>, Family::linked_heaps>,  //
    ListedQueue<CalendarQueue<Task>, Family::calendars>,                  //
    ListedQueue<LadderQueue<Task>, Family::calendars>,                    //
    ListedQueue<HashedWheel<Task>, Family::hashed_wheels>,                //
    ListedQueue<HashedWheel<Task, 4096>, Family::hashed_wheels>,          //
    ListedQueue<HierarchicalWheel<Task>, Family::hierarchical_wheels>,    //
    ListedQueue<RadixSet<Task>, Family::hierarchical_wheels>,             //
    ListedQueue<YieldingWheel<Task>, Family::hierarchical_wheels>,        //
    ListedQueue<CoarseWheel<Task>, Family::hierarchical_wheels>,          //
    ListedQueue<LazyWheel<Task>, Family::lazy_wheels>>;

template <class Task>
using TimerQueues = QueuesOf<QueueCatalog<Task>>;

/// What a queue of the catalog must promise at least: everything, unless it is excused here.
template <class Queue>
inline constexpr Promises kMustPromise{};

template <class Task>  // The JDK's plain heap does not keep the order of equal deadlines.
inline constexpr Promises kMustPromise<MinHeap<Task, HeapTies>>{.fifo = false};

template <class Task, std::uint64_t Numbers>  // Dead entries, and an array that doubled for one.
inline constexpr Promises kMustPromise<PriorityQueue<Task, Numbers>>{.max_garbage = 2};

template <class Task, std::uint64_t Numbers>  // It may name an earliest timer that is gone.
inline constexpr Promises kMustPromise<TwoTier<Task, Numbers>>{
    .max_wakes = [](Tick) -> Tick { return 2; }};

template <class Task, std::size_t Buckets>  // It may name a timer that was cancelled.
inline constexpr Promises kMustPromise<HashedWheel<Task, Buckets>>{
    .max_wakes = [](Tick delay) -> Tick { return delay <= Buckets ? 1 : 2; },
    .growth = Growth::constant};

template <class Task, unsigned Bits>  // A timer cascades at most once for each level of its delay.
inline constexpr Promises kMustPromise<HierarchicalWheel<Task, Bits>>{
    .max_wakes = [](Tick delay) -> Tick { return (std::bit_width(delay | 1) - 1) / Bits + 2; },
    .growth = Growth::constant};

template <class Task, unsigned FewestDays>  // Holds where deadlines are of one kind.
inline constexpr Promises kMustPromise<CalendarQueue<Task, FewestDays>>{.growth = Growth::constant};

template <class Task, unsigned Bits>  // A timer moves down at most once for each rung.
inline constexpr Promises kMustPromise<LadderQueue<Task, Bits>>{
    .max_wakes = [](Tick delay) -> Tick { return (std::bit_width(delay | 1) - 1) / Bits + 3; },
    .growth = Growth::constant};

template <class Task, unsigned SlotBits, unsigned GrainBits>  // Late by a share of the delay.
inline constexpr Promises kMustPromise<CoarseWheel<Task, SlotBits, GrainBits>>{
    .expires_in_order = false,
    .fifo = false,
    .max_lateness = [](Tick delay) -> Tick {
      return delay / ((Tick{1} << SlotBits) - 1) << GrainBits;
    },
    .growth = Growth::constant};

template <class Task, unsigned Bits>  // Wakes for a slot, and for the list at each half turn.
inline constexpr Promises kMustPromise<YieldingWheel<Task, Bits>>{
    .max_wakes = [](Tick delay) -> Tick { return (delay >> (2 * Bits - 2)) + 3; },
    .growth = Growth::constant};

template <class Task>  // It may name a timer that was cancelled.
inline constexpr Promises kMustPromise<RadixSet<Task>>{.max_wakes = [](Tick) -> Tick { return 2; },
                                                       .growth = Growth::constant};

template <class Task, unsigned Bits>  // A cascade for each level; a visit may outlive its timer.
inline constexpr Promises kMustPromise<LazyWheel<Task, Bits>>{
    .fifo = false,
    .max_garbage = 4,
    .max_wakes = [](Tick delay) -> Tick { return (std::bit_width(delay | 1) - 1) / Bits + 2; },
    .growth = Growth::constant};

/// The timer services, each with the settings in which it is measured.
template <class ClockType>
using ServiceCatalog = TypeList<
    ListedService<HeapTimer<ClockType>,  //
                  Family::heaps, Callers::at_a_lock, Cancel::marks, Default>,
    ListedService<DelayQueueTimer<ClockType>,  //
                  Family::heaps, Callers::at_a_lock, Cancel::marks, Default, TwoThreads>,
    ListedService<ScheduledThreadPool<ClockType>,  //
                  Family::heaps, Callers::at_a_lock, Cancel::removes, Default, TwoThreads>,
    ListedService<HashedWheelTimer<ClockType>,                                 //
                  Family::hashed_wheels, Callers::at_an_inbox, Cancel::marks,  //
                  TickOf<1>, TickOf<10>, DefaultTick<100>, AsInNetty,
                  WithExecutor<ClockType, TickOf<10>>>,
    ListedService<HierarchicalWheelTimer<ClockType>,                               //
                  Family::hierarchical_wheels, Callers::at_a_lock, Cancel::marks,  //
                  Default, AsInKafka, WithExecutor<ClockType>>,
    ListedService<SimpleWheelTimer<ClockType>,  //
                  Family::hashed_wheels, Callers::at_a_lock, Cancel::removes, Default>,
    ListedService<QueueTimer<HierarchicalWheel<TimerTask>, ClockType>,  //
                  Family::hierarchical_wheels, Callers::at_an_inbox, Cancel::marks, Default>,
    ListedService<QueueTimer<MinHeap<TimerTask>, ClockType>,  //
                  Family::heaps, Callers::at_an_inbox, Cancel::marks, DefaultWithTicksAsAbove>,
    ListedService<QueueTimer<LazyWheel<TimerTask>, ClockType>,  //
                  Family::lazy_wheels, Callers::at_an_inbox, Cancel::marks,
                  DefaultWithTicksAsAbove>>;

template <class ClockType>
using TimerServices = ServicesOf<ServiceCatalog<ClockType>>;

/// All settings of all services.
template <class ClockType>
using ServiceSettings = SettingsOf<ServiceCatalog<ClockType>>;

/// What a service of the catalog must promise at least: everything, unless it is excused here.
template <class Service>
inline constexpr ServicePromises kServiceMustPromise{};

template <class ClockType>  // As in the JDK: the plain heap, its refusals, and lazy deletion.
inline constexpr ServicePromises kServiceMustPromise<HeapTimer<ClockType>>{
    .fifo = false,
    .refuses_negative_delays = true,
    .refuses_endless_delays = true,
    .forgets_cancelled = false,
    .delays_count_from_the_end = false};

template <class ClockType>  // The plain heap again.
inline constexpr ServicePromises kServiceMustPromise<DelayQueueTimer<ClockType>>{.fifo = false};

template <class ClockType>  // As in the JDK: the future gets what a run throws.
inline constexpr ServicePromises kServiceMustPromise<ScheduledThreadPool<ClockType>>{
    .repeats_after_error = false};

template <class ClockType>  // Not FIFO. It wakes for each cascade, at most once for each wheel.
inline constexpr ServicePromises kServiceMustPromise<HierarchicalWheelTimer<ClockType>>{
    .fifo = false, .max_idle_wakes = [](Duration delay) -> std::size_t {
      const auto ticks = static_cast<Tick>(delay / std::chrono::milliseconds(1));
      return std::bit_width(ticks) / 4 + 1;
    }};

template <class ClockType>  // It wakes for each tick.
inline constexpr ServicePromises kServiceMustPromise<SimpleWheelTimer<ClockType>>{
    .max_idle_wakes = [](Duration delay) -> std::size_t {
      return static_cast<std::size_t>(delay / std::chrono::milliseconds(100)) + 1;
    }};

template <class ClockType>  // Only at the old deadline it finds that a timer was put off.
inline constexpr ServicePromises kServiceMustPromise<HashedWheelTimer<ClockType>>{.rearms_in_turn =
                                                                                      false};

template <class Queue, class ClockType>  // Its queue's promises; and it re-arms as the one above.
inline constexpr ServicePromises kServiceMustPromise<QueueTimer<Queue, ClockType>>{
    .fifo = kMustPromise<Queue>.fifo,
    .rearms_in_turn = false,
    .max_idle_wakes = [](Duration delay) -> std::size_t {
      const auto ticks = static_cast<Tick>(delay / std::chrono::microseconds(100));
      return kMustPromise<Queue>.max_wakes(ticks + 1);
    }};

/// How late a service of the catalog may start a task, with its default options: a tick, if it has
/// ticks.
template <class Service>
inline constexpr Duration kServiceMayBeLate = Duration::zero();

template <class ClockType>
inline constexpr Duration kServiceMayBeLate<HashedWheelTimer<ClockType>> =
    std::chrono::milliseconds(100);

template <class ClockType>
inline constexpr Duration kServiceMayBeLate<HierarchicalWheelTimer<ClockType>> =
    std::chrono::milliseconds(1);

template <class ClockType>
inline constexpr Duration kServiceMayBeLate<SimpleWheelTimer<ClockType>> =
    std::chrono::milliseconds(100);

template <class Queue, class ClockType>
inline constexpr Duration kServiceMayBeLate<QueueTimer<Queue, ClockType>> =
    std::chrono::microseconds(100);

}  // namespace timers
