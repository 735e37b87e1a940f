// Measures a queue that is wrong: it must get no figure.

#include "benches/harness/benchmarks.hpp"
#include "benches/harness/queues/queue_benchmarks.hpp"
#include "benches/workloads/catalog.hpp"
#include "forgetful_list.hpp"

int main(int argc, char** argv) {
  using namespace timers::benches;
  add_contests("churn", kChurn,
               field_of<AllSteps>(timers::TypeList<foreign::ForgetfulList<Task>>{}));
  return run_benchmarks(argc, argv);
}
