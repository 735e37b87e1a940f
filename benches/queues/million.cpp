/// All timers in, all run, or all cancelled, with deadlines that grow by a tick with every 1000
/// timers: the benchmark of libuv.
///
///     million/boost_d_ary_heap/dispatch/1000000

#include "benches/harness/queues/queue_benchmarks.hpp"
#include "benches/queues/measured_queues.hpp"
#include "benches/workloads/catalog.hpp"

int main(int argc, char** argv) {
  using namespace timers::benches;
  add_contests<MeasuredField>("million", kMillion);
  return run_queue_benchmarks(argc, argv);
}
