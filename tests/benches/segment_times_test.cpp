#include "benches/harness/queues/segment_times.hpp"

#include <gtest/gtest.h>

namespace timers::benches {
namespace {

constexpr Absence kNone;
constexpr Absence kOfSixSeconds{.switches = 1, .seconds = 6};

TEST(SegmentTimes, AddsUpTheLowerQuartileOfEachSegment) {
  SegmentTimes times;
  for (const double seconds : {3.0, 1.0, 2.0}) times.add(0, {seconds, kNone}, 10);
  for (const double seconds : {9.0, 5.0, 8.0, 7.0, 30.0}) times.add(1, {seconds, kNone}, 20);
  EXPECT_EQ(times.size(), 2u);
  EXPECT_EQ(times.seconds(), 1.0 + 6.0);
  EXPECT_EQ(times.operations(), 30u);
}

TEST(SegmentTimes, HaveAQuartileThatMeansTheSameForFewAndForMany) {
  EXPECT_EQ(lower_quartile_of({4}), 4);
  EXPECT_EQ(lower_quartile_of({6, 4}), 4);
  EXPECT_EQ(lower_quartile_of({8, 4, 6}), 4);
  EXPECT_EQ(lower_quartile_of({8, 4, 6, 100}), 4.5);
  EXPECT_EQ(lower_quartile_of({7, 6, 5, 4, 3, 2, 1}), 2);
  EXPECT_EQ(lower_quartile_of({2, 2, 2}), 2);
}

TEST(SegmentTimes, AreNotMovedByStallsInHalfOfThePasses) {
  SegmentTimes times;
  for (const double seconds : {1.0, 50'000.0, 1.0, 1.0, 50'000.0, 50'000.0})
    times.add(0, {seconds, kNone}, 10);
  EXPECT_EQ(times.seconds(), 1.0);
}

TEST(SegmentTimes, KeepABurstThatIsThereInEveryPass) {
  SegmentTimes times;
  for (int pass = 0; pass < 3; ++pass) {
    times.add(0, {1.0, kNone}, 10);
    times.add(1, {100.0, kNone}, 10);
  }
  EXPECT_EQ(times.seconds(), 101.0);
}

TEST(SegmentTimes, LeaveOutWhatWasInterruptedIfTheSegmentHasAnotherTime) {
  SegmentTimes times;
  times.add(0, {1.0, kNone}, 10);
  times.add(0, {9.0, kOfSixSeconds}, 10);
  times.add(0, {8.0, kOfSixSeconds}, 10);
  EXPECT_EQ(times.seconds(), 1.0);
  EXPECT_EQ(times.interruptions(), 2u);
}

TEST(SegmentTimes, KeepABurstThatWasInterruptedWithoutTheTimeOffTheProcessor) {
  SegmentTimes times;
  times.add(0, {1.0, kNone}, 10);
  times.add(1, {9.0, kOfSixSeconds}, 10);
  EXPECT_EQ(times.size(), 2u);
  EXPECT_EQ(times.seconds(), 1.0 + 3.0);
  EXPECT_EQ(times.operations(), 20u);
}

TEST(SegmentTimes, OfNothingAreZero) {
  EXPECT_EQ(SegmentTimes().seconds(), 0.0);
  EXPECT_EQ(SegmentTimes().operations(), 0u);
}

}  // namespace
}  // namespace timers::benches
