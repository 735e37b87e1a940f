#pragma once

/// What is measured as a queue: those of the catalog, and beside them those of libraries. One of
/// each kind of structure that people choose has a twin: a wheel with reused visits, a wheel of
/// lists, and a heap.

#include "benches/harness/queues/playback.hpp"
#include "benches/harness/queues/queue_benchmarks.hpp"
#include "impls/catalog.hpp"
#include "impls/peers/catalog.hpp"
#include "impls/type_list.hpp"

namespace timers::benches {

using MeasuredQueues = Joined<TimerQueues<Task>, PeerQueues<Task>>;
using QueuesWithTwins = TypeList<LazyWheel<Task>, HierarchicalWheel<Task>, MinHeap<Task>>;
using MeasuredField = Field<MeasuredQueues, QueuesWithTwins>;

inline int run_queue_benchmarks(int argc, char** argv) {
  return run_benchmarks(argc, argv,
                        groups_of_queues<QueueCatalog<Task>, PeerCatalog<Task>, QueuesWithTwins>());
}

}  // namespace timers::benches
