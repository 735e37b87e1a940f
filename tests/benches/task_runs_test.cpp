/// The backlog and its end are computed from when timers were due and when they started. A timer
/// that is lost, runs twice or runs early is noticed.

#include "benches/harness/services/task_runs.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <vector>

namespace timers::benches {
namespace {

using namespace std::chrono_literals;

Instant at(int ms) { return Instant() + ms * 1ms; }

TEST(MaxBacklog, IsNoneWithoutTimers) { EXPECT_EQ(max_backlog({}), 0U); }

TEST(MaxBacklog, IsTheMostThatWaitAtTheSameTime) {
  // One timer waits from 1 to 5, one from 2 to 6, one from 5 to 9, and one from 20 to 21.
  EXPECT_EQ(max_backlog({{at(1), at(5)}, {at(2), at(6)}, {at(5), at(9)}, {at(20), at(21)}}), 2U);
}

TEST(MaxBacklog, DoesNotDependOnTheOrderInWhichTimersStart) {
  EXPECT_EQ(max_backlog({{at(3), at(10)}, {at(1), at(12)}, {at(2), at(11)}}), 3U);
}

TEST(MaxBacklog, LeavesOutTimersThatStartAtTheirDeadlineOrBefore) {
  EXPECT_EQ(max_backlog({{at(5), at(5)}, {at(5), at(4)}}), 0U);
  EXPECT_EQ(max_backlog({{at(1), at(6)}, {at(5), at(2)}}), 1U);
}

TEST(EndOfBacklog, IsAtOnceIfNoTimerWaits) {
  EXPECT_EQ(end_of_backlog({{at(1), at(2)}, {at(9), at(10)}}, at(5)), at(5));
}

TEST(EndOfBacklog, IsTheStartOfTheLastTimerThatWaits) {
  EXPECT_EQ(end_of_backlog({{at(1), at(8)}, {at(2), at(7)}, {at(9), at(30)}}, at(5)), at(8));
}

TEST(EndOfBacklog, WaitsForTimersThatComeDueBeforeItIsReached) {
  EXPECT_EQ(end_of_backlog({{at(7), at(12)}, {at(1), at(8)}, {at(13), at(14)}}, at(5)), at(12));
}

TEST(EndOfBacklog, IsNotMovedBackByATimerThatStartedEarly) {
  EXPECT_EQ(end_of_backlog({{at(1), at(8)}, {at(6), at(2)}}, at(5)), at(8));
}

}  // namespace
}  // namespace timers::benches
