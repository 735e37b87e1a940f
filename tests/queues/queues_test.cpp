/// Holds every queue of the catalog to the contract: runs the conformance kit over them.

#include <gtest/gtest.h>

#include "benches/queues/measured/ordered_list.hpp"
#include "impls/catalog.hpp"
#include "impls/peers/catalog.hpp"
#include "tests/conformance/queues/promises.hpp"
#include "tests/conformance/queues/queue_conformance.hpp"
#include "tests/queues/small_queues.hpp"
#include "tests/queues/weak_queues.hpp"

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
  using timers::conformance::ProbeTask;
  using timers::conformance::QueueKind;
  using timers::conformance::register_kind;
  using timers::conformance::register_queue;
  testing::InitGoogleTest(&argc, argv);
  timers::for_each_type(timers::TimerQueues<ProbeTask>{},
                        []<class Queue>() { register_queue<Queue>(); });
  register_queue<timers::benches::OrderedList<ProbeTask>>();
  // Without a pool: the timers of libraries that stay are all of one adapter, and their kit is
  // slow.
  timers::for_each_type(timers::PeerQueues<ProbeTask>{},
                        []<class Queue>() { register_kind(kind_of<Queue>()); });
  timers::for_each_type(timers::SlowPeerQueues<ProbeTask>{},
                        []<class Queue>() { register_kind(kind_of<Queue>()); });
  timers::for_each_type(timers::SmallQueues<ProbeTask>{}, []<class Queue>() {
    QueueKind kind = kind_of<Queue>();
    kind.name = "small_" + kind.name;
    kind.is_small = true;
    register_kind(kind);
    register_kind(timers::conformance::pooled(kind));
  });
  timers::for_each_type(timers::WeakQueues<ProbeTask>{},
                        []<class Queue>() { register_queue<Queue>(); });
  return RUN_ALL_TESTS();
}
