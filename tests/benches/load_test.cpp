/// A load has the rates and shares that it describes, and seems to have gone on for long.

#include "benches/workloads/load.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "benches/harness/queues/input.hpp"
#include "benches/harness/queues/playback.hpp"
#include "benches/harness/queues/proof.hpp"
#include "benches/workloads/schedule.hpp"
#include "impls/type_list.hpp"
#include "tests/benches/proving_queues.hpp"

namespace timers::benches {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;
constexpr std::int64_t kTick = 1'000'000;

/// The operations of a trace between two times. Throws std::out_of_range if the trace is not valid.
struct Course {
  std::map<TraceVerb, double> count;
  double begins_with = 0;  // pending timers at the beginning
  double ends_with = 0;
  std::vector<std::int64_t> runs;           // when timers ran
  std::vector<std::int64_t> cancels_after;  // in order: how long after a timer was set it was
                                            // cancelled

  double operator[](TraceVerb verb) const { return count.contains(verb) ? count.at(verb) : 0; }
};

Course course_of(const Trace& trace, std::int64_t from, std::int64_t to) {
  struct Pending {
    std::int64_t set;
    std::int64_t deadline;
  };
  Course course;
  std::map<std::uint32_t, Pending> pending;
  std::int64_t before = 0;
  std::optional<double> begins_with;
  for (const TraceOperation& operation : trace.operations) {
    EXPECT_GE(operation.time, before);
    EXPECT_LT(operation.id, trace.ids);
    before = operation.time;
    if (operation.time >= from && !begins_with && operation.time > 0) {
      begins_with = static_cast<double>(pending.size());
    }
    const bool is_seen = operation.time >= from && operation.time < to && operation.time > 0;
    if (is_seen) ++course.count[operation.verb];
    switch (operation.verb) {
      case TraceVerb::schedule:
        EXPECT_TRUE(
            pending.emplace(operation.id, Pending{operation.time, operation.deadline}).second);
        EXPECT_GT(operation.deadline, operation.time);
        break;
      case TraceVerb::reschedule:
        pending.at(operation.id).deadline = operation.deadline;
        break;
      case TraceVerb::cancel:
        EXPECT_LT(operation.time, pending.at(operation.id).deadline);
        if (is_seen) course.cancels_after.push_back(operation.time - pending.at(operation.id).set);
        pending.erase(operation.id);
        break;
      case TraceVerb::observed_expiry: {
        const std::int64_t late = operation.time - pending.at(operation.id).deadline;
        EXPECT_TRUE(late >= 0 && late < kTick) << late << " ns";
        if (is_seen) course.runs.push_back(operation.time);
        pending.erase(operation.id);
        break;
      }
    }
    if (operation.time < to) course.ends_with = static_cast<double>(pending.size());
  }
  course.begins_with = begins_with.value_or(0);
  return course;
}

Course course_of(const Load& load, double seconds) {
  return course_of(trace_of(load, seconds), 0, static_cast<std::int64_t>(seconds) * kSecond);
}

const Load& everything() {
  static const Load kLoad{
      .connections = {{.pending = 500, .rearms_a_second = 400, .limit_s = 2}},
      .calls = {{.a_second = 900, .limit_s = 0.5, .cancelled_percent = 95, .answer_ms = 20}},
      .periodic = {{.timers = 100, .period_s = 1}},
      .bursts = {{.timers = 300, .period_s = 2}}};
  return kLoad;
}

TEST(Load, ConnectionsStayAsManyAndArePutOffAtTheirRate) {
  const Load load{.connections = {{.pending = 1'000, .rearms_a_second = 2'000, .limit_s = 10}}};
  const Course course = course_of(load, 10);
  EXPECT_EQ(course.begins_with, 1'000);
  EXPECT_EQ(course.ends_with, 1'000);
  EXPECT_NEAR(course[TraceVerb::reschedule], 20'000, 600);
  EXPECT_EQ(course[TraceVerb::cancel], 0);
}

TEST(Load, AConnectionThatIsSilentForItsLimitIsReplaced) {
  // Of exponential gaps with a mean of 1 s, a share of e^-2 is longer than 2 s.
  const Load load{.connections = {{.pending = 1'000, .rearms_a_second = 1'000, .limit_s = 2}}};
  const Course course = course_of(load, 20);
  const double expected = 20 * 1'000 / (7.389 - 1);
  EXPECT_NEAR(course[TraceVerb::observed_expiry], expected, 0.06 * expected);
  EXPECT_EQ(course[TraceVerb::observed_expiry], course[TraceVerb::schedule]);
  EXPECT_EQ(course.ends_with, 1'000);
}

TEST(Load, ConnectionsWithoutMessagesRunOutEvenly) {
  const Load load{.connections = {{.pending = 1'000, .rearms_a_second = 0, .limit_s = 10}}};
  const Course course = course_of(load, 30);
  EXPECT_NEAR(course[TraceVerb::observed_expiry], 3'000, 5);  // each of them three times
  const auto first_second = std::count_if(course.runs.begin(), course.runs.end(),
                                          [](std::int64_t time) { return time < kSecond; });
  EXPECT_NEAR(static_cast<double>(first_second), 100, 40);
}

TEST(Load, CallsComeAtTheirRateAndTheirShareIsCancelled) {
  const Load load{
      .calls = {{.a_second = 1'000, .limit_s = 1, .cancelled_percent = 90, .answer_ms = 20}}};
  const Course course = course_of(load, 20);
  EXPECT_NEAR(course[TraceVerb::schedule], 20'000, 500);
  EXPECT_NEAR(course[TraceVerb::cancel], 18'000, 500);
  EXPECT_NEAR(course[TraceVerb::observed_expiry], 2'000, 150);
}

TEST(Load, HalfOfTheAnswersComeWithinTheirMedian) {
  const Load load{
      .calls = {{.a_second = 5'000, .limit_s = 100, .cancelled_percent = 100, .answer_ms = 30}}};
  Course course = course_of(load, 10);
  std::sort(course.cancels_after.begin(), course.cancels_after.end());
  const double median = static_cast<double>(course.cancels_after[course.cancels_after.size() / 2]);
  EXPECT_NEAR(median / 1e6, 30, 2);
}

TEST(Load, AllCallsOrNoneMayBeCancelled) {
  for (const double percent : {0.0, 100.0}) {
    const Load load{
        .calls = {
            {.a_second = 1'000, .limit_s = 0.1, .cancelled_percent = percent, .answer_ms = 20}}};
    const Course course = course_of(load, 2);
    const double cancelled = course[TraceVerb::cancel];
    const double ran = course[TraceVerb::observed_expiry];
    EXPECT_EQ(percent == 0 ? cancelled : ran, 0);
    EXPECT_NEAR(percent == 0 ? ran : cancelled, 2'000, 200);
  }
}

TEST(Load, PeriodicWorkIsSpreadAndABurstIsNot) {
  const Load spread{.periodic = {{.timers = 100, .period_s = 2}}};
  const Course evenly = course_of(spread, 20);
  EXPECT_EQ(evenly[TraceVerb::observed_expiry], 1'000);
  EXPECT_GT(std::set(evenly.runs.begin(), evenly.runs.end()).size(), 900u);
  const Load burst{.bursts = {{.timers = 100, .period_s = 2}}};
  const Course at_once = course_of(burst, 20);
  EXPECT_EQ(at_once[TraceVerb::observed_expiry], 1'000);
  EXPECT_EQ(std::set(at_once.runs.begin(), at_once.runs.end()).size(), 10u);
}

TEST(Load, IsInItsSteadyStateFromTheStart) {
  const Load load{
      .connections = {{.pending = 2'000, .rearms_a_second = 1'000, .limit_s = 4}},
      .calls = {{.a_second = 5'000, .limit_s = 2, .cancelled_percent = 90, .answer_ms = 100}},
      .periodic = {{.timers = 1'000, .period_s = 5}}};
  const Trace trace = trace_of(load, 30);
  const Course early = course_of(trace, 0, kSecond);
  const Course late = course_of(trace, 28 * kSecond, 29 * kSecond);
  EXPECT_NEAR(early.begins_with, late.begins_with, 0.04 * late.begins_with);
  for (const TraceVerb verb : {TraceVerb::schedule, TraceVerb::reschedule, TraceVerb::cancel,
                               TraceVerb::observed_expiry}) {
    EXPECT_NEAR(early[verb], late[verb], 0.12 * late[verb]) << static_cast<char>(verb);
  }
}

TEST(Load, KnowsItsRateAndHowManyArePending) {
  const Course course = course_of(everything(), 100);
  const double operations =
      course[TraceVerb::schedule] + course[TraceVerb::reschedule] + course[TraceVerb::cancel];
  EXPECT_NEAR(operations / 100, operations_a_second(everything()),
              0.02 * operations_a_second(everything()));
  EXPECT_NEAR(course.begins_with, mean_pending(everything()), 0.05 * mean_pending(everything()));
}

TEST(Load, IsTheSameEverywhere) {
  const Trace trace = trace_of(everything(), 4, 7);
  std::uint64_t sum = 0;
  for (const TraceOperation& operation : trace.operations) {
    sum += mix(static_cast<std::uint64_t>(operation.time),
               static_cast<std::uint64_t>(operation.deadline),
               (std::uint64_t{operation.id} << 32 | operation.line) ^
                   static_cast<std::uint64_t>(operation.verb));
  }
  EXPECT_EQ(sum, 9371507987386316793u);
}

TEST(Load, OfAnotherSeedIsAnother) {
  const Trace one = trace_of(everything(), 1, 1);
  const Trace other = trace_of(everything(), 1, 2);
  EXPECT_NE(one.operations[1].deadline, other.operations[1].deadline);
}

TEST(Load, AQueueOfEachShapeDoesItRight) {
  const Trace trace = trace_of(everything(), 6);
  const Input input({schedule_of(trace, kTick, 2 * kSecond)});
  EXPECT_GT(input.expected[0].expiries, 1'000u);
  for_each_type(ProvingQueues<Task>{}, [&]<class Queue>() {
    EXPECT_EQ(fault_of<Queue>(input.schedules[0], input.expected[0]), "") << Queue::name;
  });
}

TEST(Load, FindsEachTimerPendingThatItCancelsOrPutsOff) {
  class FoundWitness : public Prover {
   public:
    void answered(const Step& step, bool was_pending) {
      EXPECT_TRUE(was_pending) << "line " << step.line;
      ++answers;
    }
    std::size_t answers = 0;
  } witness;
  const Schedule schedule = schedule_of(trace_of(everything(), 6), kTick);
  replay<OrderedMap<Task>>(schedule, witness);
  EXPECT_GT(witness.answers, 6'000u);
}

TEST(Load, ItsMeasuredPartBeginsWhereItIsTold) {
  const Trace trace = trace_of(everything(), 6);
  EXPECT_EQ(schedule_of(trace, kTick).measured_begin, 0u);
  const Schedule schedule = schedule_of(trace, kTick, 2 * kSecond);
  const Step& first_expire = *std::find_if(
      schedule.steps.begin() + static_cast<std::ptrdiff_t>(schedule.measured_begin),
      schedule.steps.end(), [](const Step& step) { return step.verb() == Step::Verb::expire; });
  EXPECT_NEAR(static_cast<double>(first_expire.tick), 2'000, 5);
}

TEST(Load, IsPlayedForLongEnough) {
  for (const double rate : {0.02, 1.0, 100.0, 1e6}) {
    const Load load{
        .calls = {{.a_second = rate, .limit_s = 1, .cancelled_percent = 100, .answer_ms = 20}}};
    const auto [before_s, measured_s] = extents_of(load);
    EXPECT_GE(measured_s * 2 * rate, 65'536) << rate;
    EXPECT_GE(before_s * 2 * rate, 32'767) << rate;
    const double turns = measured_s * 1e3 / 256;
    EXPECT_NEAR(turns, std::round(turns), 1e-6) << rate;
  }
}

TEST(Load, IsPlayedInWholePeriodsOfItsBursts) {
  const double periods = extents_of(everything()).measured_s / 2;
  EXPECT_GE(periods, 1);
  EXPECT_EQ(periods, std::round(periods));
}

}  // namespace
}  // namespace timers::benches
