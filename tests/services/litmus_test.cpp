/// Threads race for the timers of every service. On a manual clock nothing depends on the speed of
/// the machine. On real time a lost wake-up makes a test hang.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <latch>
#include <memory>
#include <semaphore>
#include <string>
#include <vector>

#include "impls/clocks/clock.hpp"
#include "impls/services/scheduled_thread_pool.hpp"
#include "tests/conformance/random.hpp"
#include "tests/conformance/sanitizers.hpp"
#include "tests/conformance/services/any_service.hpp"
#include "tests/services/all_services.hpp"
#include "tests/services/races.hpp"

namespace timers {
namespace {

using namespace std::chrono_literals;
using service_conformance::BasicServiceKind;

/// How often the threads race if a loop takes a microsecond. If a loop includes a sleep, or the
/// whole life of a service, they race less often. The tool `litmus` lets them race for as long as
/// the user wants. The schedule tests (schedules_test.cpp) go through all schedules of a few
/// threads.
constexpr std::uint64_t kLoops = conformance::share_of(500'000);

const auto kName = [](const auto& test) { return test.param.name; };

class Litmus : public testing::TestWithParam<ServiceKind> {
 protected:
  /// Runs a race. If not all its outcomes occurred, goes on for a while.
  static void expect_no_fault(const char* name, std::uint64_t loops) {
    const auto patience = std::chrono::steady_clock::now() + 20s;
    const Race& race = kRaces.at(name);
    if (!race.is_one_for(GetParam())) GTEST_SKIP() << "no race for " << GetParam().name;
    Random random(1);
    Tally tally;
    const auto is_enough = [&] {
      return tally.loops >= loops &&
             (race.was_run(tally) || std::chrono::steady_clock::now() > patience);
    };
    while (tally.fault == nullptr && !is_enough()) race.run(GetParam(), random, tally);
    EXPECT_STREQ(tally.fault, nullptr) << "after " << tally.loops << " loops";
    if (!race.was_run(tally)) GTEST_SKIP() << "an outcome was not seen: this machine is too busy";
  }
};

INSTANTIATE_TEST_SUITE_P(services, Litmus, testing::ValuesIn(all_services<ManualClock>()), kName);

// C-01, C-03, C-04, C-05, C-15, C-16, C-23, D-09, D-32, D-33, D-63, D-80
TEST_P(Litmus, EachTimerRunsOrIsCancelled) { expect_no_fault("cancel_against_expiry", kLoops); }

// C-01, C-02, C-03, C-04, D-80
TEST_P(Litmus, ATimerThatIsAboutToStartRunsOrIsCancelled) {
  expect_no_fault("cancel_against_start", kLoops);
}

// C-19, C-23
TEST_P(Litmus, EachTimerIsCancelledOrRunsOrIsReturned) {
  expect_no_fault("cancel_against_stop", kLoops / 5);
}

// C-12, C-14, D-31
TEST_P(Litmus, NoTimerOfManyProducersIsLost) { expect_no_fault("many_producers", kLoops / 4); }

// C-13, D-04
TEST_P(Litmus, NoTimerIsLostWhileTimeMoves) {
  expect_no_fault("producers_against_time", kLoops / 4);
}

// C-18, C-19, C-21, C-22
TEST_P(Litmus, EachTimerIsRejectedOrRunsOrIsReturned) {
  expect_no_fault("stop_against_all", kLoops / 50);
}

// C-20, D-61
TEST_P(Litmus, AThreadThatGoesToSleepIsStopped) {
  expect_no_fault("stop_against_sleep", kLoops / 500);
}

// C-07, C-09, D-67
TEST_P(Litmus, AThreadThatGoesToSleepIsWoken) {
  expect_no_fault("earlier_against_sleep", kLoops / 200);
}

// C-29
TEST_P(Litmus, HandlesOutliveTheService) {
  expect_no_fault("handles_against_destruction", kLoops / 50);
}

// C-24
TEST_P(Litmus, NoMoreTimersAreTakenThanThereIsRoomFor) {
  expect_no_fault("producers_against_a_limit", kLoops / 50);
}

class RealTime : public testing::TestWithParam<BasicServiceKind<SteadyClock>> {
 protected:
  /// How many rounds take some tenths of a second, if a round lasts about `a_round` and a tick, and
  /// if the machine is not slow; at least two.
  static int rounds(const AnyService& service, Duration a_round) {
    const std::int64_t count = 300ms / (a_round + service.max_lateness());
    return static_cast<int>(std::max<std::int64_t>(count, 2));
  }
};

INSTANTIATE_TEST_SUITE_P(services, RealTime, testing::ValuesIn(all_services<SteadyClock>()), kName);

// C-07, C-09
TEST_P(RealTime, AThreadThatGoesToSleepIsWoken) {
  SteadyClock clock;
  Random random(7);
  std::binary_semaphore ran(0);
  const auto service = GetParam().make(clock);
  const int all = rounds(*service, 50us);
  for (int round = 0; round < all; ++round) {
    service->schedule(1h, [] {});
    dawdle(random, kUntilAsleep);
    service->schedule(Duration(random.up_to_bits(16)), [&ran] { ran.release(); });
    ran.acquire();
  }
  EXPECT_EQ(service->stop().size(), static_cast<std::size_t>(all));
}

// C-20
TEST_P(RealTime, AThreadThatGoesToSleepIsStopped) {
  SteadyClock clock;
  Random random(20);
  constexpr int kRounds = conformance::share_of(2'000);
  for (int round = 0; round < kRounds; ++round) {
    const auto service = GetParam().make(clock);
    service->schedule(1h, [] {});
    dawdle(random, kUntilAsleep);
    ASSERT_EQ(service->stop().size(), 1u);
  }
}

// C-01, C-03, C-04, C-05
TEST_P(RealTime, EachTimerRunsOrIsCancelled) {
  constexpr std::size_t kTimersOfARound = 1000;
  SteadyClock clock;
  Random random(1);
  const int all = rounds(*GetParam().make(clock), conformance::kSanitized ? 60ms : 6ms);
  for (int round = 0; round < all; ++round) {
    Tally tally;
    std::vector<Footprint> footprints(kTimersOfARound);
    std::latch settled(kTimersOfARound);
    const auto service = GetParam().make(clock);
    std::vector<AnyService::Handle> handles;
    for (Footprint& footprint : footprints) {
      footprint.prepare(random);
      handles.push_back(service->schedule(any_span(random, 2ms), [&footprint, &settled] {
        footprint.run();
        settled.count_down();
      }));
    }
    for (std::size_t i = 0; i < kTimersOfARound; ++i) {
      const std::size_t chosen = random.below(kTimersOfARound);
      const std::uint64_t cancelled_before = tally[Outcome::cancelled];
      footprints[chosen].cancel(*service, handles[chosen], tally);
      if (tally[Outcome::cancelled] > cancelled_before) settled.count_down();
      dawdle(random);
    }
    settled.wait();  // waits for ever if a timer neither runs nor is cancelled
    EXPECT_TRUE(service->stop().empty());
    EXPECT_STREQ(tally.fault, nullptr);
    for (const Footprint& footprint : footprints)
      ASSERT_EQ(footprint.started() + footprint.cancels, 1);
  }
}

// C-06
TEST(ScheduledThreadPoolLitmus, EachRunSeesWhatTheOneBeforeWrote) {
  constexpr int kRuns = conformance::share_of(5'000);
  ManualClock clock;
  ScheduledThreadPool pool(clock, {.threads = 4});
  std::array<int, 4> runs{};  // not atomic: the thread of the next run sees what the previous run
                              // wrote
  for (int& count : runs) pool.schedule_at_fixed_rate(1ms, 1ms, [&count] { ++count; });
  clock.run_for(kRuns * 1ms);
  EXPECT_EQ(pool.stop().size(), runs.size());
  for (const int count : runs) EXPECT_EQ(count, kRuns);
}

// C-28
TEST(ScheduledThreadPoolLitmus, EachFutureIsDoneInTheEnd) {
  constexpr int kRounds = conformance::share_of(1'000);
  constexpr std::size_t kTasks = 20;
  Random random(28);
  for (int round = 0; round < kRounds; ++round) {
    ManualClock clock;
    ScheduledThreadPool pool(
        clock, {.threads = 2, .continue_existing_periodic_tasks_after_shutdown = round % 2 == 0});
    using Future = decltype(pool)::Future<void>;
    std::vector<Future> futures;
    for (std::size_t i = 0; i < kTasks; ++i) {
      futures.push_back(i % 2 == 0 ? pool.schedule_at_fixed_rate(1ms, 1ms, [] {})
                                   : pool.schedule_with_fixed_delay(1ms, 1ms, [] {}));
    }
    const std::uint64_t seed = random.bits();
    together({[&] {
                for (int i = 0; i < 10; ++i) clock.advance_by(1ms);
              },
              [&] {
                Random mine(seed);
                for (const Future& future : futures) {
                  if (mine.one_in(2)) future.cancel();
                  dawdle(mine);
                }
              },
              [&] {
                Random mine(seed + 1);
                dawdle(mine);
                pool.shutdown();
                dawdle(mine);
                pool.set_continue_existing_periodic_tasks_after_shutdown(false);
              }});
    ASSERT_TRUE(pool.await_termination(1h));
    for (const Future& future : futures) ASSERT_TRUE(future.is_done());
  }
}

}  // namespace
}  // namespace timers
