/// What it costs to run timers, the tasks apart, when time moves tick by tick.
///
///     expire/priority_queue/uniform/1000000
///
/// An operation is an expiry with its share of the ticks; in pacing, also with the insert of the
/// next timer.

#include "benches/queue_benchmarks.hpp"
#include "benches/workload.hpp"

int main(int argc, char** argv) {
  timers::benches::add_benchmarks("expire", timers::benches::kExpire);
  return timers::benches::run_queue_benchmarks(argc, argv);
}
