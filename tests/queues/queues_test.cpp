/// Checks every queue of the catalog against the contract: runs the conformance kit on each.

#include <gtest/gtest.h>

#include "benches/queues/measured/ordered_list.hpp"
#include "impls/catalog.hpp"
#include "impls/peers/catalog.hpp"
#include "tests/conformance/queues/promises.hpp"
#include "tests/conformance/queues/queue_conformance.hpp"
#include "tests/queues/all_queues.hpp"
#include "tests/queues/small_queues.hpp"

namespace timers {
namespace {

using conformance::ProbeTask;

TEST(Catalog, EachQueuePromisesWhatItMust) {
  int queues = 0;
  const auto holds = [&]<class Queue>() {
    ++queues;
    EXPECT_TRUE(conformance::at_least_as_strong(promises_of<Queue>(), kMustPromise<Queue>))
        << Queue::name;
  };
  for_each_type(TimerQueues<ProbeTask>{}, holds);
  for_each_type(SmallQueues<ProbeTask>{}, holds);
  EXPECT_GT(queues, 0);
}

}  // namespace
}  // namespace timers

int main(int argc, char** argv) {
  using timers::conformance::kind_of;
  using timers::conformance::pooled;
  using timers::conformance::ProbeTask;
  using timers::conformance::QueueKind;
  using timers::conformance::register_kind;
  testing::InitGoogleTest(&argc, argv);
  const auto add = [](const QueueKind& kind) {
    register_kind(kind);
    if (kind.has_staying_timers) register_kind(pooled(kind));
  };
  for (const QueueKind& kind : timers::queues_of_catalog()) add(kind);
  timers::conformance::register_queue<timers::benches::OrderedList<ProbeTask>>();
  // These are registered without a pool: the staying timers of all libraries come from one adapter,
  // and tests of library queues are slow.
  timers::for_each_type(timers::PeerQueues<ProbeTask>{},
                        []<class Queue>() { register_kind(kind_of<Queue>()); });
  timers::for_each_type(timers::SlowPeerQueues<ProbeTask>{},
                        []<class Queue>() { register_kind(kind_of<Queue>()); });
  for (QueueKind kind : timers::small_queues()) {
    kind.name = "small_" + kind.name;
    register_kind(kind);
    register_kind(pooled(kind));
  }
  for (const QueueKind& kind : timers::weak_queues()) add(kind);
  return RUN_ALL_TESTS();
}
