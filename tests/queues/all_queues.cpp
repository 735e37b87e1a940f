#include "tests/queues/all_queues.hpp"

#include <concepts>

#include "impls/catalog.hpp"
#include "impls/type_list.hpp"
#include "tests/queues/small_queues.hpp"
#include "tests/queues/weak_queues.hpp"

namespace timers {
namespace {

using conformance::ProbeTask;
using conformance::QueueKind;

template <class... Queues>
std::vector<QueueKind> kinds_of(TypeList<Queues...> queues) {
  static_assert((!std::copyable<Queues> && ...), "a queue moves its tasks, and never copies them");
  std::vector<QueueKind> kinds;
  for_each_type(queues, [&]<class Queue>() { kinds.push_back(conformance::kind_of<Queue>()); });
  return kinds;
}

}  // namespace

std::vector<QueueKind> queues_of_catalog() { return kinds_of(TimerQueues<ProbeTask>{}); }

std::vector<QueueKind> small_queues() {
  std::vector<QueueKind> kinds = kinds_of(SmallQueues<ProbeTask>{});
  for (QueueKind& kind : kinds) kind.is_small = true;
  return kinds;
}

std::vector<QueueKind> weak_queues() { return kinds_of(WeakQueues<ProbeTask>{}); }

}  // namespace timers
