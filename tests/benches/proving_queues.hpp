#pragma once

/// The queues that the harness of the benches is tried with.

#include <cstddef>
#include <stdexcept>
#include <string>
#include <type_traits>

#include "benches/harness/queues/audit.hpp"
#include "benches/harness/queues/playback.hpp"
#include "benches/harness/queues/proof.hpp"
#include "benches/workloads/schedule.hpp"
#include "impls/catalog.hpp"
#include "impls/type_list.hpp"
#include "tests/conformance/sanitizers.hpp"

namespace timers {

/// One of each shape: a harness that can measure these can measure all, as its smoke run shows.
/// CoarseWheel may be late.
template <class Task>
using ProvingQueues = TypeList<OrderedMap<Task>, PriorityQueue<Task>, HierarchicalWheel<Task>,
                               LazyWheel<Task>, CoarseWheel<Task>>;

/// All of the catalog; under a sanitizer one of each shape, as the kit looks at all there.
template <class Task>
using AllQueues =
    std::conditional_t<conformance::kSanitized, ProvingQueues<Task>, TimerQueues<Task>>;

namespace benches {

/// How most passes take the measured steps.
inline constexpr auto kTakeSteps = [](auto& playback, std::size_t end, auto& witness) {
  playback.run_until(end, witness);
};

/// In which way a queue of this type is wrong on a whole schedule, or an empty string.
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
