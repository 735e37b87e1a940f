#pragma once

/// The two parts of the field, which are compiled in parallel.

#include "benches/harness/queues/queue_benchmarks.hpp"

namespace timers::benches {

Field our_queues();
Field queues_of_libraries();

}  // namespace timers::benches
