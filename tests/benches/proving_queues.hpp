#pragma once

/// The queues on which the harness of the benches is tested.

#include <cstddef>
#include <stdexcept>
#include <string>

#include "benches/harness/queues/audit.hpp"
#include "benches/harness/queues/playback.hpp"
#include "benches/harness/queues/proof.hpp"
#include "benches/workloads/schedule.hpp"
#include "impls/catalog.hpp"
#include "impls/type_list.hpp"

namespace timers {

/// One queue of each structure. The smoke run of the harness shows that if it can measure these, it
/// can measure all. CoarseWheel may be late.
template <class Task>
using ProvingQueues = TypeList<OrderedMap<Task>, PriorityQueue<Task>, HierarchicalWheel<Task>,
                               LazyWheel<Task>, CoarseWheel<Task>>;

namespace benches {

/// Takes the measured steps as most passes do.
inline constexpr auto kTakeSteps = [](auto& playback, std::size_t end, auto& witness) {
  playback.run_until(end, witness);
};

/// How a queue of this type is wrong on a whole schedule; "" if it is not.
template <class Queue>
std::string fault_of(const Schedule& schedule, const Proof& predicted) {
  if constexpr (kMayBeLate<Queue>) {
    try {
      audit<Queue>(schedule, schedule.measured_end, kTakeSteps);
    } catch (const std::runtime_error& error) {
      return error.what();
    }
    return {};
  }
  return difference(prove<Queue>(schedule), predicted, promises_of<Queue>());
}

}  // namespace benches
}  // namespace timers
