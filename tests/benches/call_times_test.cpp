#include "benches/harness/queues/call_times.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <thread>
#include <vector>

namespace timers::benches {
namespace {

/// Time that the test moves. To read it costs 2 ticks, and a tick is half a nanosecond.
struct TestCounter {
  static std::uint64_t now() { return current; }
  static std::uint64_t own_cost() { return 2; }
  static double nanoseconds() { return 0.5; }
  static inline std::uint64_t current = 0;
};

long switches = 0;
long told_switches() { return switches; }

class CallTimesTest : public testing::Test {
 protected:
  void begin_pass(std::size_t schedule = 0) { times_.start_over({schedule, 0}, prover_); }

  void call(Step::Verb verb, std::uint64_t ns) {
    times_.verb_begins();
    TestCounter::current += 2 * ns + TestCounter::own_cost();
    times_.verb_ends(verb);
  }

  void expire(std::uint64_t ns, std::size_t timers) {
    times_.call_begins(1);
    TestCounter::current += 2 * ns + TestCounter::own_cost();
    times_.call_ends(timers);
  }

  static constexpr Step::Verb kInsert = Step::Verb::insert;
  static constexpr Step::Verb kCancel = Step::Verb::cancel;

  Prover prover_;
  CallTimesBy<TestCounter, &told_switches> times_;
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

TEST_F(CallTimesTest, LeavesOutACallDuringWhichTheThreadWasOffTheProcessor) {
  begin_pass();
  ++switches;
  call(kInsert, 5'000'000);
  call(kInsert, 30'000);  // long, but its own
  EXPECT_EQ(times_.sorted(kInsert), (std::vector{30'000.0}));
  EXPECT_EQ(times_.interruptions(), 1u);
  begin_pass();
  call(kInsert, 70);
  EXPECT_EQ(times_.sorted(kInsert), (std::vector{70.0, 30'000.0}));
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
  // The thread may be taken off the processor between two reads: then the clock shows more.
  EXPECT_LT(static_cast<double>(ticks) * TimeStampCounter::nanoseconds(), span.count() * 1.05);
  EXPECT_GT(TimeStampCounter::own_cost(), 0u);
}

TEST(Switches, CountWhatAThreadGivesUp) {
  const long before = switches_of_this_thread();
  std::this_thread::sleep_for(std::chrono::microseconds(1));
  EXPECT_GT(switches_of_this_thread(), before);
}

}  // namespace
}  // namespace timers::benches
