/// The benchmark of libuv: all timers are inserted, all are run, or all are cancelled. Deadlines
/// grow by one tick with every 1000 timers.
///
///     million/boost_d_ary_heap/dispatch/1000000

#include "benches/harness/queues/queue_benchmarks.hpp"
#include "benches/queues/measured/field.hpp"
#include "benches/workloads/catalog.hpp"

int main(int argc, char** argv) {
  using namespace timers::benches;
  add_contests("million", kMillion, all_queues());
  return run_queue_benchmarks(argc, argv);
}
