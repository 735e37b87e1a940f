/// How fast timers are set, with nothing else going on.
///
///     insert/min_heap/growing/1000000
///
/// A queue that grows pays for its memory, too; a warm one has held as many timers before. Neither
/// is how programs use timers: see churn.

#include "benches/queue_benchmarks.hpp"
#include "benches/workload.hpp"

int main(int argc, char** argv) {
  timers::benches::add_benchmarks("insert", timers::benches::kInsert);
  return timers::benches::run_queue_benchmarks(argc, argv);
}
