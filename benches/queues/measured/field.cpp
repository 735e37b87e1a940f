#include "benches/queues/measured/field.hpp"

#include "benches/harness/benchmarks.hpp"
#include "benches/queues/measured/parts.hpp"
#include "benches/queues/measured/queues.hpp"

namespace timers::benches {

Field all_queues() {
  Field field = our_queues();
  for (Entry& entry : queues_of_libraries()) field.push_back(std::move(entry));
  add_twins(field, QueuesWithTwins{});
  return field;
}

int run_queue_benchmarks(int argc, char** argv) {
  return run_benchmarks(argc, argv,
                        groups_of_queues<QueueCatalog<Task>, PeerCatalog<Task>, QueuesWithTwins>());
}

}  // namespace timers::benches
