#include "benches/workloads/schedule.hpp"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "tests/benches/steps_in_words.hpp"

namespace timers::benches {
namespace {

Trace trace_of(std::vector<TraceOperation> operations) {
  return {.name = "made", .operations = std::move(operations), .ids = 2};
}

using Words = std::vector<std::string>;

TEST(Schedule, RoundsTimesDownAndDeadlinesUp) {
  const Trace trace = trace_of({{0, 1000, 0, 18, TraceVerb::schedule},
                                {999, 1001, 1, 19, TraceVerb::schedule},
                                {1000, 1999, 0, 20, TraceVerb::reschedule},
                                {2999, 0, 1, 21, TraceVerb::cancel}});
  EXPECT_EQ(words(schedule_of(trace, 1000)),
            (Words{"insert 0 1 #18", "insert 1 2 #19", "expire 1", "rearm 0 2 #20", "expire 2",
                   "cancel 1 #21", "expire 3"}));
}

TEST(Schedule, TakesNegativeDeadlinesForZero) {
  const Trace trace = trace_of({{0, -1, 0, 18, TraceVerb::schedule}});
  EXPECT_EQ(words(schedule_of(trace, 1000)), (Words{"insert 0 0 #18", "expire 1"}));
}

TEST(Schedule, OnlyMovesTimeForAnObservedExpiry) {
  const Trace trace = trace_of({{0, 9000, 0, 18, TraceVerb::schedule},
                                {5000, 0, 0, 19, TraceVerb::observed_expiry},
                                {5000, 8000, 0, 20, TraceVerb::schedule}});
  EXPECT_EQ(words(schedule_of(trace, 1000)),
            (Words{"insert 0 9 #18", "expire 5", "insert 0 8 #20", "expire 9"}));
}

TEST(Schedule, MeasuresAllButTheStepThatRunsWhatIsLeft) {
  const Trace trace = trace_of(
      {{0, 9000, 0, 18, TraceVerb::schedule}, {5000, 0, 0, 19, TraceVerb::observed_expiry}});
  const Schedule schedule = schedule_of(trace, 1000);
  EXPECT_EQ(schedule.measured_begin, 0u);
  EXPECT_EQ(schedule.measured_end, schedule.steps.size() - 1);
  EXPECT_EQ(schedule.slots, 1u);
}

/// Two timers before the measurement. In it there are two inserts, a re-arm, a cancel and two
/// ticks.
Schedule with_all_verbs(Operation counted) {
  ScheduleBuilder builder;
  builder.insert(0, 1, 1);
  builder.insert(1, 9, 2);
  builder.begin_measurement();
  builder.move_time(1);
  builder.insert(0, 9, 3);
  builder.rearm(1, 8, 4);
  builder.move_time(2);
  builder.insert(2, 9, 5);
  builder.cancel(2, 6);
  builder.end_measurement();
  builder.insert(2, 9, 7);
  return std::move(builder).finish(counted);
}

TEST(Schedule, CountsAsOperationsWhatItIsToldTo) {
  const auto whole = [](Operation counted) {
    const Schedule schedule = with_all_verbs(counted);
    return schedule.operations_between(schedule.measured_begin, schedule.measured_end, 17);
  };
  EXPECT_EQ(whole(Operation::insert), 2u);
  EXPECT_EQ(whole(Operation::verb), 4u);
  EXPECT_EQ(whole(Operation::call), 2u);
  EXPECT_EQ(whole(Operation::expiry), 17u);
}

TEST(Schedule, CountsTheOperationsOfAPart) {
  const Schedule schedule = with_all_verbs(Operation::verb);
  const std::size_t begin = schedule.measured_begin;
  EXPECT_EQ(schedule.operations_between(begin, begin, 0), 0u);
  EXPECT_EQ(schedule.operations_between(begin, begin + 3, 0), 2u);
  EXPECT_EQ(schedule.operations_between(begin + 3, schedule.measured_end, 0), 2u);
}

}  // namespace
}  // namespace timers::benches
