#pragma once

/// The queues that are measured: those of the catalog, and also those of libraries.

#include "benches/harness/queues/playback.hpp"
#include "impls/catalog.hpp"
#include "impls/peers/catalog.hpp"
#include "impls/type_list.hpp"

namespace timers::benches {

using MeasuredQueues = Joined<TimerQueues<Task>, PeerQueues<Task>>;

/// Queues that have a twin in every case. They have the structures that people choose: a wheel that
/// reuses its visits, a wheel of lists, and a heap.
using QueuesWithTwins = TypeList<LazyWheel<Task>, HierarchicalWheel<Task>, MinHeap<Task>>;

}  // namespace timers::benches
