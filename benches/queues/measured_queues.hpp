#pragma once

/// What is measured as a queue: those of the catalog, and beside them those of libraries.

#include "benches/harness/queues/playback.hpp"
#include "benches/harness/queues/queue_benchmarks.hpp"
#include "impls/catalog.hpp"
#include "impls/peers/catalog.hpp"
#include "impls/type_list.hpp"

namespace timers::benches {

using MeasuredQueues = Joined<TimerQueues<Task>, PeerQueues<Task>>;

inline int run_queue_benchmarks(int argc, char** argv) {
  return run_queue_benchmarks<QueueCatalog<Task>, PeerCatalog<Task>>(argc, argv);
}

}  // namespace timers::benches
