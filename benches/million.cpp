/// All timers in, all run, or all cancelled, with deadlines that grow by a tick with every 1000
/// timers: the benchmark of libuv.
///
///     million/boost_d_ary_heap/dispatch/1000000

#include "benches/queue_benchmarks.hpp"
#include "benches/workload.hpp"

int main(int argc, char** argv) {
  timers::benches::add_benchmarks("million", timers::benches::kMillion);
  return timers::benches::run_queue_benchmarks(argc, argv);
}
