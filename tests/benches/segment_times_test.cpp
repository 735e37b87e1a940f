#include "benches/harness/queues/segment_times.hpp"

#include <gtest/gtest.h>

namespace timers::benches {
namespace {

constexpr bool kInterrupted = true;

TEST(SegmentTimes, AddsUpTheMedianOfEachSegment) {
  SegmentTimes times;
  for (const double seconds : {3.0, 1.0, 2.0}) times.add(0, seconds, 10, !kInterrupted);
  for (const double seconds : {7.0, 5.0}) times.add(1, seconds, 20, !kInterrupted);
  EXPECT_EQ(times.size(), 2u);
  EXPECT_EQ(times.seconds(), 2.0 + 5.0);
  EXPECT_EQ(times.operations(), 30u);
}

TEST(SegmentTimes, AreNotMovedByAStallInOnePass) {
  SegmentTimes times;
  for (const double seconds : {1.0, 50'000.0, 1.0}) times.add(0, seconds, 10, !kInterrupted);
  EXPECT_EQ(times.seconds(), 1.0);
}

TEST(SegmentTimes, KeepABurstThatIsThereInEveryPass) {
  SegmentTimes times;
  for (int pass = 0; pass < 3; ++pass) {
    times.add(0, 1.0, 10, !kInterrupted);
    times.add(1, 100.0, 10, !kInterrupted);
  }
  EXPECT_EQ(times.seconds(), 101.0);
}

TEST(SegmentTimes, LeaveOutWhatWasInterrupted) {
  SegmentTimes times;
  times.add(0, 1.0, 10, !kInterrupted);
  times.add(0, 9.0, 10, kInterrupted);
  times.add(1, 9.0, 10, kInterrupted);
  EXPECT_EQ(times.size(), 1u);
  EXPECT_EQ(times.seconds(), 1.0);
  EXPECT_EQ(times.operations(), 10u);
  EXPECT_EQ(times.interruptions(), 2u);
}

TEST(SegmentTimes, OfNothingAreZero) {
  EXPECT_EQ(SegmentTimes().seconds(), 0.0);
  EXPECT_EQ(SegmentTimes().operations(), 0u);
}

}  // namespace
}  // namespace timers::benches
