// Measures a queue of this project together with two of Timerbench's. All queues of a case take
// turns, and each is checked.

#include "../sorted_list.hpp"
#include "benches/harness/benchmarks.hpp"
#include "benches/harness/queues/queue_benchmarks.hpp"
#include "benches/workloads/catalog.hpp"
#include "impls/queues/lazy_wheel.hpp"
#include "impls/queues/min_heap.hpp"

int main(int argc, char** argv) {
  using namespace timers::benches;
  using Wheel = timers::LazyWheel<Task>;
  using Queues = timers::TypeList<foreign::SortedList<Task>, Wheel, timers::MinHeap<Task>>;
  Field field = field_of<AllSteps>(Queues{});
  add_twins(field, timers::TypeList<Wheel>{});  // a twin shows how much the same queue differs from
                                                // itself
  add_contests("churn", kChurn, field);
  return run_benchmarks(argc, argv);
}
