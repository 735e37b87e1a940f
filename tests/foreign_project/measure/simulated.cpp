// How many instructions an operation of this project's queue takes, counted under valgrind.

#include "../sorted_list.hpp"
#include "benches/harness/benchmarks.hpp"
#include "benches/harness/queues/counted_contests.hpp"
#include "benches/workloads/catalog.hpp"

int main(int argc, char** argv) {
  using namespace timers::benches;
  add_counted_contests("churn", kChurn, timers::TypeList<foreign::SortedList<Task>>{});
  return run_benchmarks(argc, argv);
}
