/// How fast n pending timers are cancelled, by the order in which it happens.
///
///     cancel/hierarchical_wheel/random/1000000

#include "benches/queue_benchmarks.hpp"
#include "benches/workload.hpp"

int main(int argc, char** argv) {
  timers::benches::add_benchmarks("cancel", timers::benches::kCancel);
  return timers::benches::run_queue_benchmarks(argc, argv);
}
