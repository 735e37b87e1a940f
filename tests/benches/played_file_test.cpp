/// Queues and services play exactly what the file holds.

#include "benches/workloads/played_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <limits>

#include "benches/traces/trace.hpp"
#include "benches/workloads/load.hpp"
#include "benches/workloads/load_file.hpp"
#include "benches/workloads/schedule.hpp"

namespace timers::benches {
namespace {

using testing::HasSubstr;

constexpr const char* kLoad = TIMERBENCH_SOURCE_DIR "/tests/benches/small_load.json";
constexpr const char* kTrace = TIMERBENCH_SOURCE_DIR "/benches/traces/tiny.trace.gz";

TEST(PlayedFile, OfALoadWhatMakesTheSteadyStateIsNotMeasured) {
  const auto [schedule, measured_s] = played_to_queues(kLoad);
  const auto operations = static_cast<double>(
      schedule.operations_between(schedule.measured_begin, schedule.measured_end, 0));
  const double rate = operations_a_second(read_load(kLoad));
  EXPECT_NEAR(operations / measured_s, rate, 0.02 * rate);
  const std::size_t before = schedule.operations_between(0, schedule.measured_begin, 0);
  EXPECT_GT(before, 30'000u);
}

TEST(PlayedFile, OfARecordingAllIsMeasured) {
  const auto [schedule, measured_s] = played_to_queues(kTrace);
  EXPECT_EQ(schedule.measured_begin, 0u);
  EXPECT_EQ(measured_s, static_cast<double>(read_trace(kTrace).operations.back().time) / 1e9);
}

TEST(PlayedFile, ServicesGetSoManySecondsOfALoad) {
  const Trace trace = played_to_services(kLoad, 2);
  EXPECT_GT(trace.operations.back().time, 1'990'000'000);
  EXPECT_LT(trace.operations.back().time, 2'000'000'000);
  EXPECT_EQ(played_to_services(kTrace, 2).operations.size(), read_trace(kTrace).operations.size());
}

TEST(PlayedFile, ALoadGoesOnAndARecordingEnds) {
  EXPECT_EQ(most_seconds(kLoad), std::numeric_limits<double>::infinity());
  EXPECT_EQ(most_seconds(kTrace), played_to_queues(kTrace).measured_s);
}

TEST(PlayedFile, AFaultIsKnownBeforeAnythingIsPlayed) {
  EXPECT_EQ(fault_of_file(kLoad), "");
  EXPECT_EQ(fault_of_file(kTrace), "");
  EXPECT_THAT(fault_of_file("/no/such.json"), HasSubstr("cannot be read"));
  EXPECT_THAT(fault_of_file(TIMERBENCH_SOURCE_DIR "/tests/benches/loads.json"),
              HasSubstr("the file is ["));
}

TEST(PlayedFile, WithoutAFileThereIsNothingToPlay) {
  EXPECT_THAT([] { played_to_queues(""); },
              testing::ThrowsMessage<LoadError>(HasSubstr("give --load=FILE")));
}

}  // namespace
}  // namespace timers::benches
