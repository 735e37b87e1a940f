/// How fast each queue handles the user's own load.
///
///     load --load=my_load.json
///     load/lazy_wheel/own
///
/// The file is a load in words (workloads/load_file.hpp) or a recording (traces/FORMAT.md). An
/// operation is an insert, re-arm or cancel, and includes its share of the expire calls. Time moves
/// when something happens, as in a loop that sleeps between events.

#include <memory>
#include <vector>

#include "benches/harness/benchmarks.hpp"
#include "benches/harness/queues/queue_benchmarks.hpp"
#include "benches/queues/measured/field.hpp"
#include "benches/workloads/played_file.hpp"

int main(int argc, char** argv) {
  using namespace timers::benches;
  const auto file = take_file(argc, argv, "--load=", fault_of_file);
  if (!file) return 1;
  const auto input =
      std::make_shared<LazyInput>([=] { return std::vector{played_to_queues(*file).schedule}; });
  add_contest("load", "own", input, all_queues());
  return run_queue_benchmarks(argc, argv);
}
