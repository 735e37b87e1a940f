/// When HeapTimer runs tasks that repeat, and what ends them: fixed rates and fixed delays, as in
/// java.util.Timer.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <thread>
#include <vector>

#include "impls/clocks/clock.hpp"
#include "impls/services/heap_timer.hpp"
#include "tests/services/run_log.hpp"

namespace timers {
namespace {

using namespace std::chrono_literals;
using testing::Each;
using testing::ElementsAre;
using testing::SizeIs;

using Timer = HeapTimer<ManualClock>;

// B-T-15, A-105
TEST(HeapTimer, CountsAFixedDelayFromTheStartOfTheRun) {
  ManualClock clock;
  RunLog log(clock);
  Timer timer(clock);
  timer.schedule(HeapTimerTask(log.task(1, [&] { clock.sleep_for(60ms); })), 10ms, 100ms);
  clock.run_for(400ms);
  EXPECT_THAT(log.runs(), ElementsAre(Ran{1, 10ms}, Ran{1, 110ms}, Ran{1, 210ms}, Ran{1, 310ms}));
}

//
TEST(HeapTimer, CountsAFixedDelayFromALateStart) {
  ManualClock clock;
  RunLog log(clock);
  Timer timer(clock);
  timer.schedule(HeapTimerTask(log.task(1)), 10ms, 100ms);
  clock.advance_by(35ms);
  clock.run_for(220ms);
  EXPECT_THAT(log.runs(), ElementsAre(Ran{1, 35ms}, Ran{1, 135ms}, Ran{1, 235ms}));
}

//
TEST(HeapTimer, RunsATaskThatTakesLongerThanItsDelayWithoutPause) {
  ManualClock clock;
  RunLog log(clock);
  Timer timer(clock);
  HeapTimerTask task(log.task(1, [&] { clock.sleep_for(150ms); }));
  timer.schedule(task, 0ms, 100ms);
  clock.run_for(400ms);
  task.cancel();
  clock.run_for(1s);
  EXPECT_THAT(log.runs(), ElementsAre(Ran{1, 0ms}, Ran{1, 150ms}, Ran{1, 300ms}));
}

// B-T-16, A-104
TEST(HeapTimer, CatchesUpWithAFixedRateAtOnce) {
  ManualClock clock(Instant(1050ms));
  RunLog log(clock);
  Timer timer(clock);
  timer.schedule_at_fixed_rate(HeapTimerTask(log.task(1)), Instant{}, 100ms);
  clock.run_for(49ms);
  EXPECT_THAT(log.runs(), SizeIs(11));
  EXPECT_THAT(log.runs(), Each(Ran{1, 1050ms}));
  clock.run_for(1ms);
  EXPECT_THAT(log.runs(), SizeIs(12));
  EXPECT_EQ(log.runs().back(), (Ran{1, 1100ms}));
}

// B-T-16
TEST(HeapTimer, DoesNotCatchUpWithAFixedDelay) {
  ManualClock clock(Instant(1050ms));
  RunLog log(clock);
  Timer timer(clock);
  timer.schedule(HeapTimerTask(log.task(1)), Instant{}, 100ms);
  clock.run_for(100ms);
  EXPECT_THAT(log.runs(), ElementsAre(Ran{1, 1050ms}, Ran{1, 1150ms}));
}

// B-T-17
TEST(HeapTimer, TellsATaskForWhenItsRunWasPlanned) {
  ManualClock clock;
  Timer timer(clock);
  std::vector<Instant> planned;
  HeapTimerTask once;
  HeapTimerTask at_rate;
  once = HeapTimerTask([&] { planned.push_back(once.scheduled_execution_time()); });
  at_rate = HeapTimerTask([&] { planned.push_back(at_rate.scheduled_execution_time()); });
  timer.schedule(once, 5ms);
  timer.schedule_at_fixed_rate(at_rate, 10ms, 10ms);
  EXPECT_EQ(once.scheduled_execution_time(), Instant(5ms));
  EXPECT_EQ(at_rate.scheduled_execution_time(), Instant(10ms));
  clock.advance_by(25ms);
  EXPECT_THAT(planned, ElementsAre(Instant(5ms), Instant(10ms), Instant(20ms)));
  EXPECT_EQ(at_rate.scheduled_execution_time(), Instant(20ms));
}

// B-T-17
TEST(HeapTimer, TellsATaskWithAFixedDelayWhenItsRunBegan) {
  ManualClock clock;
  Timer timer(clock);
  std::vector<Instant> began;
  HeapTimerTask task;
  task = HeapTimerTask([&] {
    clock.sleep_for(3ms);
    began.push_back(task.scheduled_execution_time());
  });
  timer.schedule(task, 10ms, 10ms);
  clock.advance_by(25ms);
  clock.run_for(15ms);
  EXPECT_THAT(began, ElementsAre(Instant(25ms), Instant(35ms)));
}

// B-T-17
TEST(HeapTimer, SetsTheNextTimeBeforeTheRun) {
  ManualClock clock;
  Timer timer(clock);
  std::size_t purged = 0;
  HeapTimerTask task;
  task = HeapTimerTask([&] {
    task.cancel();
    purged = timer.purge();
  });
  timer.schedule(task, 10ms, 10ms);
  clock.run_for(1s);
  EXPECT_EQ(purged, 1u);
}

// B-T-18, D-25, A-110
TEST(HeapTimer, RunsATaskOfAHugePeriodOnce) {
  ManualClock clock;
  RunLog log(clock);
  Timer timer(clock);
  HeapTimerTask delayed(log.task(1));
  HeapTimerTask at_rate(log.task(2));
  timer.schedule(delayed, 1ms, Duration::max());
  timer.schedule_at_fixed_rate(at_rate, 2ms, Duration::max());
  timer.schedule(3ms, log.task(3));
  clock.run_for(1h);
  timer.schedule(1ms, log.task(4));
  clock.run_until(Instant::max());
  EXPECT_THAT(log.runs(), ElementsAre(Ran{1, 1ms}, Ran{2, 2ms}, Ran{3, 3ms}, Ran{4, 1h + 1ms}));
  EXPECT_TRUE(delayed.cancel());
  EXPECT_TRUE(at_rate.cancel());
}

//
TEST(HeapTimer, KeepsAFixedRateWithoutDrift) {
  ManualClock clock;
  RunLog log(clock);
  Timer timer(clock);
  timer.schedule_at_fixed_rate(HeapTimerTask(log.task(1)), 10ms, 10ms);
  for (int ms = 1; ms <= 1000; ++ms) clock.advance_to(Instant(ms * 1ms));
  std::vector<Ran> all;
  for (int ms = 10; ms <= 1000; ms += 10) all.push_back({1, ms * 1ms});
  EXPECT_EQ(log.runs(), all);
}

//
TEST(HeapTimer, KeepsManyPeriods) {
  ManualClock clock(Instant(50ms));
  RunLog log(clock);
  Timer timer(clock);
  const std::vector<int> primes{2,  3,  5,  7,  11, 13, 17, 19, 23, 29, 31, 37, 41,
                                43, 47, 53, 59, 61, 67, 71, 73, 79, 83, 89, 97};
  for (const int prime : primes) {
    timer.schedule_at_fixed_rate(HeapTimerTask(log.task(prime)), prime * 1ms, prime * 1ms);
  }
  clock.run_until(Instant(5322ms));
  std::vector<int> runs(98);
  for (const Ran& run : log.runs()) {
    const auto prime = static_cast<std::size_t>(run.id);
    EXPECT_EQ(run.at, 50ms + ++runs[prime] * (run.id * 1ms));
  }
  for (const int prime : primes) EXPECT_EQ(runs[static_cast<std::size_t>(prime)], 5272 / prime);
}

//
TEST(HeapTimer, EndsARepeatingTaskThatCancelsItselfInItsThirdRun) {
  ManualClock clock;
  RunLog log(clock);
  Timer timer(clock);
  HeapTimerTask task;
  task = HeapTimerTask(log.task(1, [&] {
    if (log.size() == 3) task.cancel();
  }));
  timer.schedule_at_fixed_rate(task, 1s, 1s);
  clock.run_for(1h);
  EXPECT_THAT(log.runs(), ElementsAre(Ran{1, 1s}, Ran{1, 2s}, Ran{1, 3s}));
}

//
TEST(HeapTimer, CancelsARepeatingTaskBetweenItsRuns) {
  ManualClock clock;
  RunLog log(clock);
  Timer timer(clock);
  HeapTimerTask task(log.task(1));
  timer.schedule_at_fixed_rate(task, 1s, 1s);
  clock.run_for(2500ms);
  EXPECT_EQ(timer.cancel(task), CancelResult::cancelled);
  EXPECT_EQ(timer.cancel(task), CancelResult::gone);
  clock.run_for(1h);
  EXPECT_THAT(log.runs(), ElementsAre(Ran{1, 1s}, Ran{1, 2s}));
}

// D-30
TEST(HeapTimer, EndsARepeatingTaskThatIsCancelledInItsSecondRun) {
  ManualClock clock;
  RunLog log(clock);
  Timer timer(clock);
  HeapTimerTask task(log.task(1, [&] { clock.sleep_for(100ms); }));
  timer.schedule_at_fixed_rate(task, 1s, 1s);
  clock.run_for(2050ms);
  EXPECT_EQ(timer.cancel(task), CancelResult::running);
  EXPECT_EQ(timer.cancel(task), CancelResult::running);
  clock.run_for(1h);
  EXPECT_EQ(timer.cancel(task), CancelResult::gone);
  EXPECT_THAT(log.runs(), ElementsAre(Ran{1, 1s}, Ran{1, 2s}));
}

// D-30
TEST(HeapTimer, TellsAThreadThatItCancelsTheRunsAfterThisOne) {
  ManualClock clock;
  Timer timer(clock);
  HeapTimerTask once([&] { clock.sleep_for(100ms); });
  HeapTimerTask repeating([&] { clock.sleep_for(100ms); });
  timer.schedule(once, 1s);
  timer.schedule(repeating, 2s, 1s);
  clock.run_for(1050ms);
  EXPECT_FALSE(once.cancel());
  clock.run_for(1s);
  EXPECT_TRUE(repeating.cancel());
  EXPECT_FALSE(repeating.cancel());
  clock.run_for(1s);
}

TEST(HeapTimer, CountsARepeatingTaskBetweenItsRuns) {
  ManualClock clock;
  Timer timer(clock);
  std::vector<std::size_t> in_runs;
  HeapTimerTask task;
  task = HeapTimerTask([&] {
    in_runs.push_back(timer.pending());
    if (in_runs.size() == 2) task.cancel();
  });
  timer.schedule(task, 1s, 1s);
  EXPECT_EQ(timer.pending(), 1u);
  clock.run_for(1s);
  EXPECT_EQ(timer.pending(), 1u);
  clock.run_for(1s);
  EXPECT_EQ(timer.pending(), 0u);
  EXPECT_THAT(in_runs, ElementsAre(0u, 0u));
}

// C-01
TEST(HeapTimer, NeverStartsARepeatingTaskAfterItsCancel) {
  ManualClock clock;
  Timer timer(clock);
  for (int round = 0; round < 300; ++round) {
    int runs = 0;
    std::atomic<bool> never_again = false;
    HeapTimerTask task([&] {
      EXPECT_FALSE(never_again);
      ++runs;
    });
    timer.schedule_at_fixed_rate(task, 0ms, 1ms);
    std::thread canceller([&] {
      const CancelResult result = timer.cancel(task);
      EXPECT_NE(result, CancelResult::gone);
      if (result == CancelResult::cancelled) never_again = true;
    });
    clock.run_for(20ms);
    canceller.join();
    clock.settle();
    EXPECT_EQ(timer.pending(), 0u);
    const int runs_until_now = runs;
    clock.run_for(20ms);
    EXPECT_EQ(runs, runs_until_now);
    EXPECT_EQ(timer.cancel(task), CancelResult::gone);
  }
}

}  // namespace
}  // namespace timers
