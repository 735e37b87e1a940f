/// The threads of a service move a timer about, share it or wait for it. In all executions that the
/// memory model allows, no timer is lost, none is used after it is gone, and every thread that has
/// something to do is called. And if one of these were false, the search would find it.

#include <gtest/gtest.h>

#include "impls/services/parts/leader_and_followers.hpp"
#include "tests/services/explorer/expect_explored.hpp"
#include "tests/services/explorer/explorer.hpp"
#include "tests/services/explorer/programs/leader_and_followers.hpp"
#include "tests/services/explorer/programs/shares.hpp"
#include "tests/services/explorer/programs/whereabouts.hpp"

namespace timers {
namespace {

using namespace programs;  // NOLINT(google-build-using-namespace): the tests are about these

TEST(SharesInterleavings, DestroyANodeWithItsLastOwner) { expect_no_fault<OwnersOfOneNode>(); }

// C-01, C-18, C-19
TEST(WhereaboutsInterleavings, LoseNoTimerThatIsMovedAndCancelled) {
  expect_no_fault<ServiceAgainstUser<false>>();
  expect_no_fault<ServiceAgainstUser<true>>();
}
TEST(WhereaboutsInterleavings, GiveATimerThatIsMovedBackToAStop) {
  expect_no_fault<StopAgainstUser<false>>();
  expect_no_fault<StopAgainstUser<true>>();
}

// C-07
TEST(WhereaboutsInterleavings, SleepThroughNoDeadlineOfTwoThatComeNearer) {
  expect_no_fault<TwoRearmsAgainstSleep>();
}

// C-09, C-25
TEST(PoolInterleavings, CallEachThreadThatHasATask) {
  expect_no_fault<TwoWorkers<LeaderAndFollowers>>();
  expect_no_fault<TwoWorkersAndUser<LeaderAndFollowers>>();
}

enum class LineFault { forgets_the_successor, forgets_who_waits };

/// A line with one fault.
template <LineFault kFault>
struct Faulty {
  template <class Thread>
  class Line : public LeaderAndFollowers<Thread> {
    using Base = LeaderAndFollowers<Thread>;

   public:
    Thread* to_call() { return kFault == LineFault::forgets_who_waits ? nullptr : Base::to_call(); }
    Thread* successor_of(const Thread& self, bool tasks_are_left) {
      const bool is_forgotten = kFault == LineFault::forgets_the_successor;
      return Base::successor_of(self, tasks_are_left && !is_forgotten);
    }
  };
};

TEST(PoolInterleavings, LeaveATaskToNobodyWhenTheSuccessorIsForgotten) {
  using Forgets = Faulty<LineFault::forgets_the_successor>;
  EXPECT_EQ(explore<TwoWorkers<Forgets::Line>>().fault, "threads wait for each other for ever");
}
TEST(PoolInterleavings, LeaveATaskToNobodyWhenAThreadThatWaitsIsForgotten) {
  using Forgets = Faulty<LineFault::forgets_who_waits>;
  EXPECT_EQ(explore<TwoWorkersAndUser<Forgets::Line>>().fault,
            "threads wait for each other for ever");
}

}  // namespace
}  // namespace timers
