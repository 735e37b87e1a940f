#include "benches/schedule.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace timers::benches {
namespace {

/// The steps in words, as "expire 3, insert 0 5 #20": verb, slot, tick and line.
std::vector<std::string> words(const Schedule& schedule) {
  std::vector<std::string> all;
  for (const Step& step : schedule.steps) {
    switch (step.verb) {
      case Step::Verb::expire:
        all.push_back(fmt::format("expire {}", step.tick));
        break;
      case Step::Verb::insert:
        all.push_back(fmt::format("insert {} {} #{}", step.slot, step.tick, step.line));
        break;
      case Step::Verb::rearm:
        all.push_back(fmt::format("rearm {} {} #{}", step.slot, step.tick, step.line));
        break;
      case Step::Verb::cancel:
        all.push_back(fmt::format("cancel {} #{}", step.slot, step.line));
        break;
    }
  }
  return all;
}

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
  EXPECT_EQ(schedule.operations, 2u);
  EXPECT_EQ(schedule.slots, 1u);
}

}  // namespace
}  // namespace timers::benches
