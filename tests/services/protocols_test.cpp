/// Whatever the memory model allows the threads of a service that move a timer about, share it or
/// wait for it: no timer is lost, none is touched when it is gone, and every thread is called that
/// has something to do. The search would find it if one of these were not so.

#include <gtest/gtest.h>

#include "impls/services/parts/leader_and_followers.hpp"
#include "tests/services/expect_explored.hpp"
#include "tests/services/explorer.hpp"
#include "tests/services/programs/leader_and_followers.hpp"
#include "tests/services/programs/shares.hpp"
#include "tests/services/programs/whereabouts.hpp"

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

}  // namespace
}  // namespace timers
