/// How ScheduledThreadPool ends, as java.util.concurrent.ScheduledThreadPoolExecutor does: its
/// policies, which tasks come back, and which threads wait for its end.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <stdexcept>
#include <vector>

#include "impls/clocks/clock.hpp"
#include "impls/services/scheduled_thread_pool.hpp"
#include "tests/services/attempt.hpp"
#include "tests/services/run_log.hpp"
#include "tests/services/tasks.hpp"

namespace timers {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using testing::ThrowsMessage;

using Pool = ScheduledThreadPool<ManualClock>;

constexpr Instant at(Duration time) { return Instant(time); }

// B-S-16
TEST(ScheduledThreadPool, RunsAfterAShutdownWhatWaitsButNoPeriodicTask) {
  ManualClock clock;
  RunLog log(clock);
  Pool pool(clock);
  const auto delayed = pool.submit(50ms, log.task(1));
  const auto periodic = pool.schedule_at_fixed_rate(20ms, 20ms, log.task(2));
  clock.run_until(at(30ms));
  pool.shutdown();
  EXPECT_TRUE(pool.is_shutdown());
  EXPECT_TRUE(periodic.is_cancelled());
  EXPECT_FALSE(pool.is_terminated());
  clock.run_until(at(100ms));
  EXPECT_THAT(log.runs(), ElementsAre(Ran{2, 20ms}, Ran{1, 50ms}));
  EXPECT_TRUE(delayed.is_done());
  EXPECT_FALSE(delayed.is_cancelled());
  EXPECT_TRUE(pool.is_terminated());
}

// B-S-17
TEST(ScheduledThreadPool, CancelsAtAShutdownWhatIsNotDueIfThePolicySaysSo) {
  ManualClock clock;
  RunLog log(clock);
  Pool pool(clock, {.execute_existing_delayed_tasks_after_shutdown = false});
  const auto delayed = pool.submit(50ms, log.task(1));
  const auto handle = pool.schedule(50ms, log.task(2));
  clock.advance_by(10ms);
  pool.shutdown();
  EXPECT_TRUE(delayed.is_cancelled());
  EXPECT_EQ(pool.cancel(handle), CancelResult::gone);
  EXPECT_TRUE(pool.is_terminated());
  clock.run_for(1s);
  EXPECT_THAT(log.runs(), IsEmpty());
}

// B-S-17
TEST(ScheduledThreadPool, RunsAfterAShutdownWhatWasDueWhateverThePolicySays) {
  ManualClock clock;
  RunLog log(clock);
  Pool pool(clock, {.execute_existing_delayed_tasks_after_shutdown = false});
  pool.schedule(0s, sleeper(clock, 100ms));
  const auto due = pool.submit(50ms, log.task(1));
  const auto not_due = pool.submit(61ms, log.task(2));
  clock.run_until(at(60ms));
  pool.shutdown();
  EXPECT_FALSE(due.is_done());
  EXPECT_TRUE(not_due.is_cancelled());
  clock.run_until(at(200ms));
  EXPECT_THAT(log.runs(), ElementsAre(Ran{1, 100ms}));
  EXPECT_TRUE(pool.is_terminated());
}

// B-S-18, B-S-19
TEST(ScheduledThreadPool, GoesOnWithPeriodicTasksUntilThePolicyForbidsIt) {
  ManualClock clock;
  RunLog log(clock);
  Pool pool(clock, {.continue_existing_periodic_tasks_after_shutdown = true});
  const auto periodic = pool.schedule_at_fixed_rate(10ms, 10ms, log.task(1));
  pool.shutdown();
  clock.run_until(at(35ms));
  EXPECT_EQ(log.size(), 3U);
  EXPECT_FALSE(pool.is_terminated());
  pool.set_continue_existing_periodic_tasks_after_shutdown(false);
  EXPECT_TRUE(periodic.is_cancelled());
  EXPECT_TRUE(pool.is_terminated());
  clock.run_for(1s);
  EXPECT_EQ(log.size(), 3U);
}

// B-S-18
TEST(ScheduledThreadPool, GoesOnWithPeriodicTasksUntilTheyAreCancelled) {
  ManualClock clock;
  RunLog log(clock);
  Pool pool(clock, {.continue_existing_periodic_tasks_after_shutdown = true});
  const auto cancelled_at_rest = pool.schedule_at_fixed_rate(10ms, 10ms, log.task(1));
  const auto cancelled_in_a_run = pool.schedule_at_fixed_rate(15ms, 10ms, sleeper(clock, 4ms));
  pool.shutdown();
  clock.run_until(at(22ms));
  EXPECT_TRUE(cancelled_at_rest.cancel());
  EXPECT_FALSE(pool.is_terminated());
  clock.run_until(at(26ms));
  EXPECT_TRUE(cancelled_in_a_run.cancel());
  EXPECT_FALSE(pool.is_terminated());
  clock.run_until(at(29ms));
  EXPECT_TRUE(pool.is_terminated());
  EXPECT_EQ(log.size(), 2U);
}

// B-S-18
TEST(ScheduledThreadPool, GoesOnWithPeriodicTasksUntilItIsShutDownNow) {
  ManualClock clock;
  RunLog log(clock);
  Pool pool(clock, {.continue_existing_periodic_tasks_after_shutdown = true});
  const auto periodic = pool.schedule_with_fixed_delay(10ms, 10ms, log.task(1));
  pool.shutdown();
  clock.run_until(at(25ms));
  EXPECT_THAT(pool.shutdown_now(), SizeIs(1));
  EXPECT_TRUE(pool.is_terminated());
  clock.run_for(1s);
  EXPECT_EQ(log.size(), 2U);
}

// B-S-19
TEST(ScheduledThreadPool, CancelsWhatWaitsWhenThePolicyForbidsItAfterAShutdown) {
  ManualClock clock;
  RunLog log(clock);
  Pool pool(clock);
  const auto delayed = pool.submit(50ms, log.task(1));
  pool.set_execute_existing_delayed_tasks_after_shutdown(false);
  EXPECT_FALSE(delayed.is_done());
  pool.set_execute_existing_delayed_tasks_after_shutdown(true);
  pool.shutdown();
  EXPECT_FALSE(delayed.is_done());
  pool.set_execute_existing_delayed_tasks_after_shutdown(false);
  EXPECT_TRUE(delayed.is_cancelled());
  EXPECT_TRUE(pool.is_terminated());
  clock.run_for(1s);
  EXPECT_THAT(log.runs(), IsEmpty());
}

// B-S-20
TEST(ScheduledThreadPool, ReturnsWhatWaitsNeitherDoneNorCancelled) {
  ManualClock clock;
  RunLog log(clock);
  Pool pool(clock);
  const auto delayed = pool.submit(50ms, log.task(1));
  const auto periodic = pool.schedule_at_fixed_rate(20ms, 20ms, log.task(2));
  clock.run_until(at(30ms));
  const std::vector<TimerTask> never_ran = pool.shutdown_now();
  EXPECT_THAT(never_ran, SizeIs(2));
  EXPECT_FALSE(delayed.is_done());
  EXPECT_FALSE(delayed.is_cancelled());
  EXPECT_FALSE(periodic.is_done());
  EXPECT_FALSE(periodic.is_cancelled());
  EXPECT_TRUE(pool.is_terminated());
  EXPECT_EQ(pool.pending(), 0U);
  clock.run_for(1s);
  EXPECT_THAT(log.runs(), ElementsAre(Ran{2, 20ms}));
}

// B-S-20
TEST(ScheduledThreadPool, SettlesTheFutureOfATaskThatIsRunAfterItCameBack) {
  ManualClock clock;
  RunLog log(clock);
  Pool pool(clock);
  const auto returns = pool.submit(1h, [] { return 7; });
  const auto throws = pool.submit(1h, [] { throw std::runtime_error("late"); });
  const auto is_cancelled = pool.submit(1h, log.task(1));
  const auto periodic = pool.schedule_at_fixed_rate(1h, 1h, log.task(2));
  std::vector<TimerTask> never_ran = pool.stop();
  ASSERT_THAT(never_ran, SizeIs(4));
  EXPECT_TRUE(is_cancelled.cancel());
  for (TimerTask& task : never_ran) task();
  for (TimerTask& task : never_ran) task();
  EXPECT_EQ(returns.get(), 7);
  EXPECT_THAT(Attempt([&] { throws.get(); }), ThrowsMessage<std::runtime_error>("late"));
  EXPECT_FALSE(periodic.is_done());
  EXPECT_THAT(log.runs(), ElementsAre(Ran{2, 0s}, Ran{2, 0s}));
}

// B-S-20
TEST(ScheduledThreadPool, CancelsTheFutureOfATaskThatIsDroppedAfterItCameBack) {
  ManualClock clock;
  Pool pool(clock);
  bool is_dead = false;
  const auto future = pool.submit(1h, [p = probe([&] { is_dead = true; })] {});
  std::vector<TimerTask> never_ran = pool.shutdown_now();
  EXPECT_FALSE(is_dead);
  never_ran.clear();
  EXPECT_TRUE(is_dead);
  EXPECT_TRUE(future.is_cancelled());
}

TEST(ScheduledThreadPool, ReturnsTheTasksWithoutAFutureThemselves) {
  ManualClock clock;
  RunLog log(clock);
  Pool pool(clock);
  const auto handle = pool.schedule(1h, log.task(1));
  pool.cancel(pool.schedule(1h, log.task(2)));
  std::vector<TimerTask> never_ran = pool.shutdown_now();
  ASSERT_THAT(never_ran, SizeIs(1));
  EXPECT_EQ(pool.cancel(handle), CancelResult::gone);
  never_ran[0]();
  EXPECT_THAT(log.runs(), ElementsAre(Ran{1, 0s}));
}

// B-S-21
TEST(ScheduledThreadPool, RefusesTasksAfterAShutdown) {
  ManualClock clock;
  RunLog log(clock);
  Pool pool(clock);
  pool.schedule(1h, [] {});
  pool.schedule(0s, sleeper(clock, 1s));
  clock.settle();
  pool.shutdown();
  EXPECT_THAT(Attempt([&] { pool.schedule(0s, log.task(1)); }),
              ThrowsMessage<RejectedTask>(HasSubstr("1 wait in it and 1 run")));
  EXPECT_THROW(pool.submit(0s, log.task(1)), RejectedTask);
  EXPECT_THROW(pool.schedule_at_fixed_rate(0s, 1s, log.task(1)), RejectedTask);
  EXPECT_THROW(pool.schedule_with_fixed_delay(0s, 1s, log.task(1)), RejectedTask);
  EXPECT_EQ(pool.task_count(), 2U);
  clock.run_for(1s);
  EXPECT_THAT(log.runs(), IsEmpty());
}

// B-S-22, C-28
TEST(ScheduledThreadPool, CancelsAPeriodicTaskThatShutsDownItsPool) {
  ManualClock clock;
  RunLog log(clock);
  Pool pool(clock);
  const auto future = pool.schedule_at_fixed_rate(10ms, 10ms, log.task(1, [&] {
    if (log.size() == 2) pool.shutdown();
  }));
  clock.run_for(1s);
  EXPECT_EQ(log.size(), 2U);
  EXPECT_TRUE(future.is_cancelled());
  EXPECT_TRUE(pool.is_terminated());
  EXPECT_EQ(pool.task_count(), 2U);
}

// B-S-22, C-28
TEST(ScheduledThreadPool, CancelsPeriodicTasksThatRunWhenThePoolIsShutDown) {
  for (const bool now : {false, true}) {
    SCOPED_TRACE(now);
    ManualClock clock;
    RunLog log(clock);
    Pool pool(clock, {.threads = 3});
    const auto rate =
        pool.schedule_at_fixed_rate(10ms, 10ms, log.task(1, [&] { clock.sleep_for(5ms); }));
    const auto delay =
        pool.schedule_with_fixed_delay(11ms, 10ms, log.task(2, [&] { clock.sleep_for(6ms); }));
    const auto at_rest = pool.schedule_at_fixed_rate(1s, 1s, log.task(3));
    clock.run_until(at(12ms));
    if (now) {
      EXPECT_THAT(pool.shutdown_now(), SizeIs(1));
    } else {
      pool.shutdown();
    }
    EXPECT_TRUE(at_rest.is_cancelled());
    EXPECT_FALSE(rate.is_done());
    EXPECT_FALSE(delay.is_done());
    clock.run_until(at(16ms));
    EXPECT_TRUE(rate.is_cancelled());
    EXPECT_FALSE(delay.is_done());
    EXPECT_FALSE(pool.is_terminated());
    clock.run_until(at(17ms));
    EXPECT_TRUE(delay.is_cancelled());
    EXPECT_TRUE(pool.is_terminated());
    clock.run_for(10s);
    EXPECT_THAT(log.runs(), ElementsAre(Ran{1, 10ms}, Ran{2, 11ms}));
  }
}

TEST(ScheduledThreadPool, TellsThoseWhoWaitForItsEnd) {
  ManualClock clock;
  Pool pool(clock, {.threads = 2});
  pool.schedule(50ms, [] {});
  pool.schedule(80ms, sleeper(clock, 20ms));
  pool.shutdown();
  RunLog ended(clock);
  const auto wait = [&](Duration timeout) {
    TimerTask note = ended.task(pool.await_termination(timeout));
    note();
  };
  ManualClock::Thread patient(clock, [&] { wait(1s); });
  ManualClock::Thread endless(clock, [&] { wait(Duration::max()); });
  ManualClock::Thread impatient(clock, [&] { wait(60ms); });
  clock.run_for(10s);
  EXPECT_THAT(ended.runs(), ElementsAre(Ran{false, 60ms}, Ran{true, 100ms}, Ran{true, 100ms}));
  EXPECT_TRUE(pool.await_termination(0s));
}

TEST(ScheduledThreadPool, IsOverAtOnceIfItIsShutDownWithNothingToDo) {
  ManualClock clock;
  Pool never_used(clock);
  never_used.shutdown();
  EXPECT_TRUE(never_used.await_termination(Duration::max()));
  Pool used(clock, {.threads = 2});
  used.schedule(1s, [] {});
  used.schedule(1s, [] {});
  clock.advance_by(1s);
  EXPECT_FALSE(used.await_termination(0s));
  EXPECT_EQ(used.pool_size(), 2U);
  used.shutdown();
  EXPECT_TRUE(used.await_termination(Duration::max()));
  EXPECT_EQ(used.pool_size(), 0U);
}

TEST(ScheduledThreadPool, RefusesATaskThatWaitsForItself) {
  ManualClock clock;
  Pool pool(clock);
  const auto stops = pool.submit(0s, [&] { pool.stop(); });
  const auto waits = pool.submit(0s, [&] { pool.await_termination(1s); });
  const auto runs = pool.submit(0s, [] { return 7; });
  clock.settle();
  EXPECT_THROW(stops.get(), std::logic_error);
  EXPECT_THROW(waits.get(), std::logic_error);
  EXPECT_EQ(runs.get(), 7);
}

}  // namespace
}  // namespace timers
