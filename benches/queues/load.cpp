/// How fast each queue does what somebody's own load does.
///
///     load --load=my_load.json
///     load/lazy_wheel/own
///
/// The file is a load in words (workloads/load_file.hpp) or a recording (traces/FORMAT.md). An
/// operation is an insert, re-arm or cancel, and includes its share of the expire calls. Time moves
/// where something happens, as in a loop that sleeps between.

#include <fmt/core.h>

#include <memory>
#include <string>
#include <vector>

#include "benches/harness/benchmarks.hpp"
#include "benches/harness/queues/queue_benchmarks.hpp"
#include "benches/queues/measured/field.hpp"
#include "benches/workloads/played_file.hpp"

int main(int argc, char** argv) {
  using namespace timers::benches;
  const std::string file = take_flag(argc, argv, "--load=");
  if (const std::string fault = fault_of_file(file); !fault.empty()) {
    fmt::print(stderr, "load: {}\n", fault);
    return 1;
  }
  const auto input =
      std::make_shared<LazyInput>([=] { return std::vector{played_to_queues(file).schedule}; });
  add_contest("load", "own", input, all_queues());
  return run_queue_benchmarks(argc, argv);
}
