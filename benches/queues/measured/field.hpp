#pragma once

/// All queues that are measured, as a field of contestants that is compiled once for all programs.

#include "benches/harness/queues/queue_benchmarks.hpp"

namespace timers::benches {

/// All queues, which take the steps as fast as they can, and their twins.
Field all_queues();

/// `run_benchmarks` of a program that measures these queues.
int run_queue_benchmarks(int argc, char** argv);

}  // namespace timers::benches
