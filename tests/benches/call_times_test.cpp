#include "benches/harness/queues/call_times.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <thread>
#include <vector>

namespace timers::benches {
namespace {

/// Time that the test moves. A read costs 2 ticks, and a tick is half a nanosecond.
struct TestCounter {
  static std::uint64_t now() { return current; }
  static std::uint64_t own_cost() { return 2; }
  static double nanoseconds() { return 0.5; }
  static inline std::uint64_t current = 0;
};

Absence absence;
Absence told_absence() { return absence; }

class CallTimesTest : public testing::Test {
 protected:
  using Times = CallTimesBy<TestCounter, &told_absence>;

  void begin_pass(std::size_t schedule = 0, Times::Which which = Times::Which::all) {
    times_.start_over({schedule, 0}, which, prover_);
  }

  void call(Step::Verb verb, std::uint64_t ns) {
    times_.verb_begins();
    TestCounter::current += 2 * ns + TestCounter::own_cost();
    times_.verb_ends(verb);
  }

  /// The thread is off the processor for a part of the call.
  void interrupted_call(Step::Verb verb, std::uint64_t ns, std::uint64_t ns_away) {
    times_.verb_begins();
    TestCounter::current += 2 * ns + TestCounter::own_cost();
    be_away(ns_away);
    times_.verb_ends(verb);
  }

  /// Lets the thread be off the processor for a part of the time that has passed.
  static void be_away(std::uint64_t ns) {
    absence = {.switches = absence.switches + 1,
               .seconds = absence.seconds + 1e-9 * static_cast<double>(ns)};
  }

  void expire(std::uint64_t ns, std::size_t timers) {
    times_.call_begins(1);
    TestCounter::current += 2 * ns + TestCounter::own_cost();
    times_.call_ends(timers);
  }

  static constexpr Step::Verb kInsert = Step::Verb::insert;
  static constexpr Step::Verb kCancel = Step::Verb::cancel;

  Prover prover_;
  Times times_;
};

TEST_F(CallTimesTest, KeepsTheFastestOfACallSeenInSeveralPasses) {
  begin_pass();
  for (const std::uint64_t ns : {50u, 20u, 90u}) call(kInsert, ns);
  begin_pass();
  for (const std::uint64_t ns : {40u, 70u, 60u, 10u}) call(kInsert, ns);
  EXPECT_EQ(times_.sorted(kInsert), (std::vector{10.0, 20.0, 40.0, 60.0}));
}

TEST_F(CallTimesTest, TellsVerbsAndSchedulesApart) {
  begin_pass(0);
  call(kInsert, 50);
  call(kCancel, 5);
  begin_pass(1);
  call(kInsert, 30);
  expire(70, 3);
  EXPECT_EQ(times_.sorted(kInsert), (std::vector{30.0, 50.0}));
  EXPECT_EQ(times_.sorted(kCancel), (std::vector{5.0}));
  EXPECT_EQ(times_.sorted(Step::Verb::expire), (std::vector{70.0}));
  EXPECT_EQ(times_.most_expiries(), 3u);
}

TEST_F(CallTimesTest, TakeOffWhatTheThreadWasOffTheProcessor) {
  begin_pass();
  interrupted_call(kInsert, 5'000'000, 4'000'000);
  call(kInsert, 30'000);  // long, but the time is its own
  EXPECT_EQ(times_.sorted(kInsert), (std::vector{30'000.0, 1'000'000.0}));
  EXPECT_EQ(times_.interruptions(), 1u);
}

TEST_F(CallTimesTest, PreferAPassInWhichACallWasNotInterrupted) {
  begin_pass();
  interrupted_call(kInsert, 5'000'000, 5'000'000);
  EXPECT_EQ(times_.sorted(kInsert), (std::vector{0.0}));
  begin_pass();
  call(kInsert, 70);
  EXPECT_EQ(times_.sorted(kInsert), (std::vector{70.0}));
}

TEST_F(CallTimesTest, PreferSuchAPassAlsoWhereOnlyLongCallsAreKept) {
  begin_pass(0, Times::Which::long_ones);
  interrupted_call(kInsert, 5'000'000, 4'970'000);
  EXPECT_EQ(times_.longest(kInsert), 30'000.0);
  begin_pass(0, Times::Which::long_ones);
  call(kInsert, 40'000);
  EXPECT_EQ(times_.longest(kInsert), 40'000.0);
}

TEST_F(CallTimesTest, LeaveACallItsTimeIfTheThreadWasAwayBeforeIt) {
  begin_pass();
  call(kInsert, 50);
  TestCounter::current += 2 * 5'000'000;
  be_away(4'000'000);
  call(kInsert, 7'000'000);
  interrupted_call(kInsert, 7'000'000, 1'000'000);
  EXPECT_EQ(times_.sorted(kInsert), (std::vector{50.0, 6'000'000.0, 7'000'000.0}));
  EXPECT_EQ(times_.interruptions(), 1u);
}

TEST_F(CallTimesTest, KeepsOnlyLongCallsWhereTheCacheIsCold) {
  begin_pass(0, Times::Which::long_ones);
  for (const std::uint64_t ns : {50u, 30'000u, 25'000u}) call(kInsert, ns);
  begin_pass(0, Times::Which::long_ones);
  for (const std::uint64_t ns : {90'000u, 28'000u, 70u}) call(kInsert, ns);
  EXPECT_EQ(times_.sorted(kInsert), std::vector<double>());
  EXPECT_EQ(times_.longest(kInsert), 28'000.0);
  EXPECT_EQ(times_.longest(kCancel), 0.0);
}

TEST_F(CallTimesTest, KnowsACallOfManySeconds) {
  begin_pass();
  call(kInsert, 1'000'000'000'000);
  EXPECT_NEAR(times_.sorted(kInsert).at(0), 1e12, 1e6);
}

TEST_F(CallTimesTest, TakesNoLessThanNothing) {
  begin_pass();
  times_.verb_begins();
  times_.verb_ends(kInsert);
  EXPECT_EQ(times_.sorted(kInsert), (std::vector{0.0}));
}

TEST(TimeStampCounter, AgreesWithTheClock) {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point begin = Clock::now();
  const TimeStampCounter::Ticks first = TimeStampCounter::now();
  while (Clock::now() - begin < std::chrono::milliseconds(5)) {
  }
  const TimeStampCounter::Ticks ticks = TimeStampCounter::now() - first;
  const std::chrono::duration<double, std::nano> span = Clock::now() - begin;
  // The thread may leave the processor between two reads: then the clock shows more.
  EXPECT_LT(static_cast<double>(ticks) * TimeStampCounter::nanoseconds(), span.count() * 1.05);
  EXPECT_GT(TimeStampCounter::own_cost(), 0u);
}

TEST(Absence, IsHowOftenAndHowLongAThreadDoesNotRun) {
  using Clock = std::chrono::steady_clock;
  const Absence before = absence_so_far();
  const Clock::time_point begin = Clock::now();
  std::this_thread::sleep_for(std::chrono::milliseconds(1));
  const std::chrono::duration<double> slept = Clock::now() - begin;
  const Absence since = absence_so_far() - before;
  EXPECT_GT(since.switches, 0);
  EXPECT_GT(since.seconds, 0.0005);
  EXPECT_LT(since.seconds, slept.count() + 0.0005);
}

}  // namespace
}  // namespace timers::benches
