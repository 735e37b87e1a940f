/// When ScheduledThreadPool runs tasks, as java.util.concurrent.ScheduledThreadPoolExecutor does,
/// and where it is safer: periods, errors, futures and threads.

#include "impls/services/scheduled_thread_pool.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "impls/clocks/clock.hpp"
#include "tests/services/attempt.hpp"
#include "tests/services/run_log.hpp"
#include "tests/services/scarce_clock.hpp"
#include "tests/services/tasks.hpp"

namespace timers {
namespace {

using namespace std::chrono_literals;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using testing::ThrowsMessage;
using testing::UnorderedElementsAre;

using Pool = ScheduledThreadPool<ManualClock>;
using Days = std::chrono::duration<std::int64_t, std::ratio<86400>>;

static_assert(TimerService<Pool> && TimerService<ScheduledThreadPool<SteadyClock>>);

constexpr Instant at(Duration time) { return Instant(time); }

std::vector<Duration> starts_of(const RunLog& log) {
  std::vector<Duration> starts;
  for (const Ran& ran : log.runs()) starts.push_back(ran.at);
  return starts;
}

// Order and deadlines.

// B-S-01
TEST(ScheduledThreadPool, KeepsThePlaceOfAPeriodicTaskAmongTasksOfOneInstant) {
  ManualClock clock;
  RunLog log(clock);
  Pool pool(clock);
  const auto periodic = pool.schedule_at_fixed_rate(100ms, 100ms, log.task(1));
  clock.run_for(50ms);
  pool.schedule(150ms, log.task(2));
  clock.run_until(at(200ms));
  EXPECT_THAT(log.runs(), ElementsAre(Ran{1, 100ms}, Ran{1, 200ms}, Ran{2, 200ms}));
}

// B-S-02
TEST(ScheduledThreadPool, TakesANegativeDelayAsNone) {
  ManualClock clock;
  RunLog log(clock);
  Pool pool(clock);
  pool.schedule(0s, sleeper(clock, 10ms));
  pool.schedule(0s, log.task(1));
  pool.schedule(0s, log.task(2));
  pool.schedule(-100s, log.task(3));
  pool.schedule(Duration::min(), log.task(4));
  pool.schedule(0s, log.task(5));
  clock.run_for(10ms);
  EXPECT_THAT(log.runs(),
              ElementsAre(Ran{1, 10ms}, Ran{2, 10ms}, Ran{3, 10ms}, Ran{4, 10ms}, Ran{5, 10ms}));
}

// B-S-03
TEST(ScheduledThreadPool, NeverRunsATaskWithTheLongestDelay) {
  ManualClock clock;
  RunLog log(clock);
  Pool pool(clock);
  const auto future = pool.submit(Duration::max(), log.task(1));
  const auto handle = pool.schedule(Duration::max(), log.task(2));
  EXPECT_EQ(future.get_delay(), Duration::max());
  EXPECT_EQ(std::chrono::duration_cast<Days>(future.get_delay()).count(), 106751);
  clock.run_until(at(Days(100'000)));
  EXPECT_EQ(std::chrono::duration_cast<Days>(future.get_delay()).count(), 6751);
  clock.run_until(Instant::max());
  EXPECT_THAT(log.runs(), IsEmpty());
  EXPECT_TRUE(future.cancel());
  EXPECT_EQ(pool.cancel(handle), CancelResult::cancelled);
}

// B-S-03
TEST(ScheduledThreadPool, TakesADelayBeyondTheLastInstantAsNeverEnding) {
  ManualClock clock;
  RunLog log(clock);
  clock.advance_to(at(Days(1)));
  Pool pool(clock);
  const auto future = pool.submit(Duration::max(), log.task(1));
  EXPECT_EQ(std::chrono::duration_cast<Days>(future.get_delay()).count(), 106750);
  pool.schedule(1s, log.task(2));
  clock.run_until(Instant::max());
  EXPECT_THAT(log.runs(), ElementsAre(Ran{2, Days(1) + 1s}));
}

// B-S-03
TEST(ScheduledThreadPool, CountsDelaysFromTheFirstInstantOn) {
  ManualClock old_clock(Instant::min());
  Pool pool(old_clock);
  bool ran = false;
  const auto future = pool.submit(Duration::max(), [&] { ran = true; });
  EXPECT_EQ(future.get_delay(), Duration::max());
  old_clock.advance_to(at(-2ns));
  EXPECT_FALSE(ran);
  old_clock.advance_to(at(-1ns));
  EXPECT_TRUE(ran);
  old_clock.advance_to(Instant::max());
  EXPECT_EQ(future.get_delay(), Duration::min());
}

struct WayToSchedule {
  const char* name;
  void (*schedule)(Pool& pool, Duration first, TimerTask task);
};
const WayToSchedule kWaysToSchedule[] = {
    {"schedule",
     [](Pool& pool, Duration first, TimerTask task) { pool.schedule(first, std::move(task)); }},
    {"submit",
     [](Pool& pool, Duration first, TimerTask task) {
       pool.submit(first, [task = std::move(task)]() mutable {
         task();
         return true;
       });
     }},
    {"fixed rate", [](Pool& pool, Duration first,
                      TimerTask task) { pool.schedule_at_fixed_rate(first, 1h, std::move(task)); }},
    {"fixed delay", [](Pool& pool, Duration first, TimerTask task) {
       pool.schedule_with_fixed_delay(first, 1h, std::move(task));
     }}};

// B-S-04, D-20
TEST(ScheduledThreadPool, RunsWhatIsOverdueBeforeWhatHasTheLongestDelay) {
  for (const Duration overdue : {Duration(0s), Duration(9ms)}) {
    for (const WayToSchedule& first : kWaysToSchedule) {
      for (const WayToSchedule& second : kWaysToSchedule) {
        SCOPED_TRACE(std::string(first.name) + " and " + second.name);
        ManualClock clock;
        RunLog log(clock);
        Pool pool(clock);
        pool.schedule(0s, [&clock] { clock.sleep_for(10ms); });
        clock.settle();
        first.schedule(pool, 10ms - overdue, log.task(1));
        clock.advance_by(9ms);
        second.schedule(pool, Duration::max(), log.task(2));
        second.schedule(pool, Duration::max() - 9ms, log.task(3));
        clock.run_for(1s);
        EXPECT_THAT(log.runs(), ElementsAre(Ran{1, 10ms}));
      }
    }
  }
}

// B-S-05, D-21, A-110
TEST(ScheduledThreadPool, RunsATaskOnceWhosePeriodIsTheLongest) {
  ManualClock clock;
  RunLog log(clock);
  Pool pool(clock);
  clock.advance_by(1s);
  const auto delay = pool.schedule_with_fixed_delay(0s, Duration::max(), log.task(1));
  const auto rate = pool.schedule_at_fixed_rate(0s, Duration::max(), log.task(2));
  clock.settle();
  pool.schedule(0s, log.task(3));
  pool.schedule(1s, log.task(4));
  clock.run_until(Instant::max());
  EXPECT_THAT(log.runs(), ElementsAre(Ran{1, 1s}, Ran{2, 1s}, Ran{3, 1s}, Ran{4, 2s}));
  EXPECT_EQ(pool.pending(), 2U);
  EXPECT_FALSE(delay.is_done());
  EXPECT_FALSE(rate.is_done());
}

// B-S-05
TEST(ScheduledThreadPool, EndsAFixedRateAtTheEndOfTime) {
  ManualClock clock;
  RunLog log(clock);
  clock.advance_to(Instant::max() - 3s);
  Pool pool(clock);
  const auto future = pool.schedule_at_fixed_rate(1s, 1s, log.task(1));
  clock.advance_to(Instant::max());
  EXPECT_EQ(log.size(), 2U);
  EXPECT_FALSE(future.is_done());
}

// B-S-08, A-109
TEST(ScheduledThreadPool, RefusesAPeriodInWhichNoTimePasses) {
  ManualClock clock;
  RunLog log(clock);
  Pool pool(clock);
  for (const Duration period : {Duration(0s), Duration(-1ns), Duration::min()}) {
    EXPECT_THROW(pool.schedule_at_fixed_rate(0s, period, log.task(1)), std::invalid_argument);
    EXPECT_THROW(pool.schedule_with_fixed_delay(0s, period, log.task(1)), std::invalid_argument);
  }
  EXPECT_THAT(Attempt([&] { pool.schedule_at_fixed_rate(0s, -5ns, log.task(1)); }),
              ThrowsMessage<std::invalid_argument>(HasSubstr("-5 ns")));
  EXPECT_EQ(pool.task_count(), 0U);
}

// B-S-08
TEST(ScheduledThreadPool, RefusesATaskThatIsNotThere) {
  ManualClock clock;
  Pool pool(clock);
  int (*const no_function)() = nullptr;
  EXPECT_THROW(pool.schedule(0s, nullptr), std::invalid_argument);
  EXPECT_THROW(pool.submit(0s, no_function), std::invalid_argument);
  EXPECT_THROW(pool.submit(0s, std::function<void()>()), std::invalid_argument);
  EXPECT_THROW(pool.submit(0s, TimerTask()), std::invalid_argument);
  EXPECT_THROW(pool.schedule_at_fixed_rate(0s, 1s, nullptr), std::invalid_argument);
  EXPECT_THROW(pool.schedule_with_fixed_delay(0s, 1s, nullptr), std::invalid_argument);
  EXPECT_EQ(pool.task_count(), 0U);
  EXPECT_EQ(pool.pool_size(), 0U);
}

// Periods.

//
TEST(ScheduledThreadPool, RunsAFixedRateWithoutDrift) {
  ManualClock clock;
  RunLog log(clock);
  Pool pool(clock);
  const auto future = pool.schedule_at_fixed_rate(10ms, 10ms, log.task(1));
  for (int i = 0; i < 1000; ++i) clock.advance_by(1ms);
  std::vector<Duration> expected;
  for (int i = 1; i <= 100; ++i) expected.emplace_back(10ms * i);
  EXPECT_EQ(starts_of(log), expected);
}

//
TEST(ScheduledThreadPool, CatchesUpWithAFixedRateAfterAJumpOfTime) {
  ManualClock clock;
  RunLog log(clock);
  Pool pool(clock);
  const auto future = pool.schedule_at_fixed_rate(10ms, 10ms, log.task(1));
  clock.advance_by(55ms);
  EXPECT_THAT(starts_of(log), ElementsAre(55ms, 55ms, 55ms, 55ms, 55ms));
  EXPECT_EQ(future.get_delay(), 5ms);
  clock.run_for(5ms);
  EXPECT_THAT(starts_of(log), ElementsAre(55ms, 55ms, 55ms, 55ms, 55ms, 60ms));
}

// B-S-06
TEST(ScheduledThreadPool, CatchesUpWithAFixedRateAfterALongRun) {
  ManualClock clock;
  RunLog log(clock);
  Pool pool(clock);
  const auto future = pool.schedule_at_fixed_rate(0s, 100ms, log.task(1, [&] {
    if (log.size() == 1) clock.sleep_for(350ms);
  }));
  clock.run_until(at(500ms));
  EXPECT_THAT(starts_of(log), ElementsAre(0ms, 350ms, 350ms, 350ms, 400ms, 500ms));
}

// B-S-07, A-105
TEST(ScheduledThreadPool, CountsAFixedDelayFromTheEndOfTheRunBefore) {
  ManualClock clock;
  RunLog log(clock);
  Pool pool(clock);
  const auto future =
      pool.schedule_with_fixed_delay(0s, 100ms, log.task(1, [&] { clock.sleep_for(60ms); }));
  clock.run_until(at(550ms));
  EXPECT_THAT(starts_of(log), ElementsAre(0ms, 160ms, 320ms, 480ms));
}

//
TEST(ScheduledThreadPool, KeepsManyPeriodsApart) {
  ManualClock clock;
  RunLog log(clock);
  const std::vector<int> primes = {2,  3,  5,  7,  11, 13, 17, 19, 23, 29, 31, 37, 41,
                                   43, 47, 53, 59, 61, 67, 71, 73, 79, 83, 89, 97};
  clock.advance_to(at(50us));
  Pool pool(clock);
  std::vector<Pool::Future<void>> futures;
  for (const int prime : primes) {
    futures.push_back(pool.schedule_at_fixed_rate(prime * 1us, prime * 1us, log.task(prime)));
  }
  clock.run_until(at(5322us));
  const std::vector<Ran> runs = log.runs();
  for (std::size_t i = 0; i < primes.size(); ++i) {
    EXPECT_EQ(std::count_if(runs.begin(), runs.end(),
                            [&](const Ran& ran) { return ran.id == primes[i]; }),
              5272 / primes[i]);
    EXPECT_GT(futures[i].get_delay(), 0us);
    EXPECT_LE(futures[i].get_delay(), primes[i] * 1us);
  }
}

//
TEST(ScheduledThreadPool, EndsAPeriodicTaskThatCancelsItself) {
  ManualClock clock;
  RunLog log(clock);
  Pool pool(clock);
  std::optional<Pool::Future<void>> future;
  std::vector<bool> results;
  future = pool.schedule_at_fixed_rate(10ms, 10ms, log.task(1, [&] {
    if (log.size() == 3) results = {future->cancel(), future->cancel()};
  }));
  clock.run_for(1s);
  EXPECT_THAT(starts_of(log), ElementsAre(10ms, 20ms, 30ms));
  EXPECT_THAT(results, ElementsAre(true, false));
  EXPECT_TRUE(future->is_cancelled());
  EXPECT_EQ(pool.task_count(), 3U);
}

//
TEST(ScheduledThreadPool, EndsAPeriodicTaskThatIsCancelledBetweenItsRuns) {
  ManualClock clock;
  RunLog log(clock);
  Pool pool(clock);
  const auto future = pool.schedule_with_fixed_delay(10ms, 10ms, log.task(1));
  clock.run_for(25ms);
  EXPECT_TRUE(future.cancel());
  EXPECT_EQ(pool.queue_size(), 0U);
  clock.run_for(1s);
  EXPECT_THAT(starts_of(log), ElementsAre(10ms, 20ms));
}

// D-30, B-S-11
TEST(ScheduledThreadPool, EndsAPeriodicTaskThatIsCancelledWhileItRuns) {
  ManualClock clock;
  RunLog log(clock);
  Pool pool(clock);
  const auto future =
      pool.schedule_at_fixed_rate(10ms, 10ms, log.task(1, [&] { clock.sleep_for(5ms); }));
  clock.run_until(at(22ms));
  ASSERT_EQ(log.size(), 2U);
  EXPECT_TRUE(future.cancel());
  EXPECT_TRUE(future.is_cancelled());
  clock.run_for(1s);
  EXPECT_EQ(log.size(), 2U);
  EXPECT_EQ(pool.completed_task_count(), 2U);
  EXPECT_THROW(future.get(), CancelledTask);
}

// B-S-26, A-111
TEST(ScheduledThreadPool, NeverRunsAPeriodicTaskTwiceAtATime) {
  ManualClock clock;
  Pool pool(clock, {.threads = 4});
  for (int i = 0; i < 4; ++i) pool.schedule(0s, [] {});
  int running = 0;  // not atomic, as each run happens before the next one
  std::vector<int> seen;
  const auto future = pool.schedule_at_fixed_rate(0s, 10ms, [&] {
    seen.push_back(++running);
    clock.sleep_for(35ms);
    --running;
  });
  clock.run_until(at(340ms));
  future.cancel();
  clock.run_until(at(1s));
  EXPECT_EQ(pool.pool_size(), 4U);
  EXPECT_THAT(seen, SizeIs(10));
  EXPECT_THAT(seen, Each(1));
}

// What a task throws.

// B-S-09
TEST(ScheduledThreadPool, EndsAPeriodicTaskThatThrowsAndNoOther) {
  ManualClock clock;
  RunLog log(clock);
  Pool pool(clock, {.on_error = [](const std::exception_ptr&) { ADD_FAILURE(); }});
  const auto throws = pool.schedule_at_fixed_rate(10ms, 10ms, log.task(1, [&] {
    if (log.size() == 3) throw std::runtime_error("the third run");
  }));
  clock.run_for(100ms);
  EXPECT_THAT(starts_of(log), ElementsAre(10ms, 20ms, 30ms));
  EXPECT_TRUE(throws.is_done());
  EXPECT_FALSE(throws.is_cancelled());
  EXPECT_FALSE(throws.cancel());
  EXPECT_THAT(Attempt([&] { throws.get(); }), ThrowsMessage<std::runtime_error>("the third run"));
  EXPECT_EQ(pool.task_count(), 3U);

  const auto goes_on = pool.schedule_at_fixed_rate(10ms, 10ms, log.task(2));
  clock.run_for(100ms);
  EXPECT_EQ(log.size(), 3U + 10U);
}

// B-S-10
TEST(ScheduledThreadPool, KeepsWhatATaskThrowsInItsFuture) {
  ManualClock clock;
  Pool pool(clock, {.on_error = [](const std::exception_ptr&) { ADD_FAILURE(); }});
  const auto no_number = pool.submit(10ms, []() -> int { throw std::runtime_error("no number"); });
  const auto nothing = pool.submit(10ms, [] { throw std::runtime_error("nothing"); });
  const auto number = pool.submit(10ms, [] { return 7; });
  clock.advance_by(10ms);
  EXPECT_THAT(Attempt([&] { no_number.get(); }), ThrowsMessage<std::runtime_error>("no number"));
  EXPECT_THAT(Attempt([&] { no_number.get(); }), ThrowsMessage<std::runtime_error>("no number"));
  EXPECT_THAT(Attempt([&] { nothing.get(); }), ThrowsMessage<std::runtime_error>("nothing"));
  EXPECT_TRUE(no_number.is_done());
  EXPECT_FALSE(no_number.is_cancelled());
  EXPECT_EQ(number.get(), 7);
}

// B-S-10
TEST(ScheduledThreadPool, GivesToTheHandlerWhatATaskThrowsThatHasNoFuture) {
  ManualClock clock;
  RunLog log(clock);
  std::vector<std::string> errors;
  std::size_t pending = 99;
  std::optional<Pool> pool;
  pool.emplace(clock, Pool::Options{.on_error = [&](const std::exception_ptr& error) {
                 pending = pool->pending();  // this would hang if a lock were held
                 try {
                   std::rethrow_exception(error);
                 } catch (const std::exception& exception) {
                   errors.emplace_back(exception.what());
                 }
               }});
  pool->schedule(10ms, [] { throw std::runtime_error("nobody asks"); });
  pool->schedule(10ms, log.task(1));
  clock.advance_by(10ms);
  EXPECT_THAT(errors, ElementsAre("nobody asks"));
  EXPECT_EQ(pending, 1U);
  EXPECT_THAT(log.runs(), ElementsAre(Ran{1, 10ms}));
}

// B-S-10
TEST(ScheduledThreadPool, ForgetsAsInTheJdkWhatATaskThrowsThatHasNoFuture) {
  ManualClock clock;
  RunLog log(clock);
  Pool pool(clock, Pool::as_in_jdk());
  pool.schedule(10ms, [] { throw std::runtime_error("nobody asks"); });
  pool.schedule(10ms, log.task(1));
  clock.advance_by(10ms);
  EXPECT_THAT(log.runs(), ElementsAre(Ran{1, 10ms}));
}

// Futures.

TEST(ScheduledThreadPool, KeepsWhatATaskReturnsForAllWhoWait) {
  ManualClock clock;
  Pool pool(clock);
  const auto future = pool.submit(
      2s, [word = std::make_unique<std::string>("here")]() mutable { return std::move(word); });
  RunLog got(clock);
  const auto wait = [&] {
    TimerTask note = got.task(static_cast<int>(future.get()->size()));
    note();
  };
  ManualClock::Thread first(clock, wait);
  ManualClock::Thread second(clock, wait);
  clock.advance_by(1s);
  EXPECT_FALSE(future.is_done());
  EXPECT_THAT(got.runs(), IsEmpty());
  clock.advance_by(1s);
  EXPECT_THAT(got.runs(), ElementsAre(Ran{4, 2s}, Ran{4, 2s}));
  EXPECT_EQ(*future.get(), "here");
}

TEST(ScheduledThreadPool, TellsThoseWhoWaitThatATaskWasCancelled) {
  ManualClock clock;
  Pool pool(clock);
  const auto future = pool.submit(2s, [] { return 7; });
  bool was_cancelled = false;
  ManualClock::Thread waits(clock, [&] {
    try {
      future.get();
    } catch (const CancelledTask&) {
      was_cancelled = true;
    }
  });
  clock.advance_by(1s);
  EXPECT_TRUE(future.cancel());
  clock.settle();
  EXPECT_TRUE(was_cancelled);
}

TEST(ScheduledThreadPool, TellsHowLongItIsUntilTheNextRun) {
  ManualClock clock;
  Pool pool(clock);
  const auto once = pool.submit(10ms, [] {});
  const auto again = pool.schedule_with_fixed_delay(10ms, 30ms, sleeper(clock, 5ms));
  EXPECT_EQ(once.get_delay(), 10ms);
  clock.run_until(at(20ms));
  EXPECT_EQ(once.get_delay(), -10ms);
  EXPECT_EQ(again.get_delay(), 25ms);
}

// B-S-11
TEST(ScheduledThreadPool, SaysThatATaskIsCancelledWhileItRunsToItsEnd) {
  ManualClock clock;
  Pool pool(clock);
  bool finished = false;
  const auto future = pool.submit(0s, [&] {
    clock.sleep_for(50ms);
    finished = true;
    return 7;
  });
  clock.run_until(at(10ms));
  EXPECT_TRUE(future.cancel());
  EXPECT_TRUE(future.is_cancelled());
  EXPECT_TRUE(future.is_done());
  EXPECT_FALSE(finished);
  clock.run_until(at(50ms));
  EXPECT_TRUE(finished);
  EXPECT_THROW(future.get(), CancelledTask);
}

// B-S-12
TEST(ScheduledThreadPool, DoesNotCancelATaskThatIsDone) {
  ManualClock clock;
  Pool pool(clock);
  const auto returned = pool.submit(10ms, [] {});
  const auto cancelled = pool.submit(20ms, [] {});
  const auto handle = pool.schedule(10ms, [] {});
  clock.advance_by(10ms);
  EXPECT_TRUE(cancelled.cancel());
  EXPECT_FALSE(cancelled.cancel());
  EXPECT_FALSE(returned.cancel());
  EXPECT_FALSE(returned.is_cancelled());
  EXPECT_TRUE(returned.is_done());
  EXPECT_EQ(pool.cancel(handle), CancelResult::gone);
}

TEST(ScheduledThreadPool, CancelsWhatOutlivesThePool) {
  ManualClock clock;
  std::optional<Pool> pool(std::in_place, clock);
  const auto returned = pool->submit(0s, [] { return 7; });
  const auto waits = pool->submit(1h, [] { return 8; });
  const auto periodic = pool->schedule_at_fixed_rate(0s, 1h, [] {});
  const auto handle = pool->schedule(1h, [] {});
  clock.settle();
  pool.reset();
  EXPECT_EQ(returned.get(), 7);
  EXPECT_TRUE(waits.is_cancelled());
  EXPECT_FALSE(waits.cancel());
  EXPECT_EQ(waits.get_delay(), 1h);
  EXPECT_THROW(waits.get(), CancelledTask);
  EXPECT_TRUE(periodic.is_cancelled());
}

// Threads, and when they wake.

// B-S-23, D-22, D-23
TEST(ScheduledThreadPool, HasAThreadWhenOneIsNeededIfItIsToHaveNone) {
  ManualClock clock;
  RunLog log(clock);
  Pool pool(clock, {.threads = 0});
  EXPECT_EQ(pool.pool_size(), 0U);
  pool.schedule(12ms, log.task(1));
  pool.schedule(1h, log.task(2));
  EXPECT_EQ(pool.pool_size(), 1U);
  pool.shutdown();
  clock.run_for(1s);
  EXPECT_THAT(log.runs(), ElementsAre(Ran{1, 12ms}));
  const std::size_t wakes = clock.wakes();
  clock.run_for(50min);
  EXPECT_EQ(clock.wakes(), wakes);
  clock.run_for(10min);
  EXPECT_THAT(log.runs(), ElementsAre(Ran{1, 12ms}, Ran{2, 1h}));
  EXPECT_TRUE(pool.is_terminated());
}

TEST(ScheduledThreadPool, IsAsItWasWhenAThreadIsNotToBeHad) {
  ScarceClock clock(1);
  ScheduledThreadPool<ScarceClock> pool(clock, {.threads = 2});
  bool is_dead = false;
  pool.schedule(1s, [] {});
  EXPECT_THROW(pool.schedule(0s, [p = probe([&] { is_dead = true; })] {}), std::system_error);
  EXPECT_TRUE(is_dead);
  EXPECT_EQ(pool.task_count(), 1U);
  EXPECT_EQ(pool.pool_size(), 1U);
  clock.threads_left = 1;
  pool.schedule(1s, [] {});
  EXPECT_EQ(pool.pool_size(), 2U);
  clock.advance_by(1s);
  EXPECT_EQ(pool.completed_task_count(), 2U);
}

TEST(ScheduledThreadPool, WakesOneThreadForATaskThatIsFirstAndNoneForAnother) {
  ManualClock clock;
  RunLog log(clock);
  Pool pool(clock, {.threads = 4});
  for (int i = 0; i < 4; ++i) pool.schedule(4h, [] {});
  clock.settle();
  std::size_t wakes = clock.wakes();
  for (int i = 0; i < 1000; ++i) pool.schedule(4h + i * 1s, [] {});
  clock.settle();
  EXPECT_EQ(clock.wakes() - wakes, 0U);
  wakes = clock.wakes();
  pool.schedule(1h, log.task(1));
  clock.settle();
  EXPECT_EQ(clock.wakes() - wakes, 1U);
}

TEST(ScheduledThreadPool, WakesTwoThreadsForATaskThatIsDue) {
  ManualClock clock;
  RunLog log(clock);
  Pool pool(clock, {.threads = 4});
  for (int i = 0; i < 4; ++i) pool.schedule(4h, [] {});
  pool.schedule(1h, log.task(1));
  clock.settle();
  const std::size_t wakes = clock.wakes();
  clock.run_for(2h);
  EXPECT_THAT(log.runs(), ElementsAre(Ran{1, 1h}));
  // One thread runs the task, and one waits for the next task.
  EXPECT_EQ(clock.wakes() - wakes, 2U);
}

TEST(ScheduledThreadPool, WakesOneThreadForARunOfThePeriodicTaskThatIsAlone) {
  ManualClock clock;
  RunLog log(clock);
  Pool pool(clock, {.threads = 4});
  for (int i = 0; i < 4; ++i) pool.schedule(0s, [] {});
  const auto future = pool.schedule_at_fixed_rate(1s, 1s, log.task(1));
  clock.settle();
  EXPECT_EQ(pool.pool_size(), 4U);
  const std::size_t wakes = clock.wakes();
  clock.run_for(100s);
  EXPECT_EQ(log.size(), 100U);
  EXPECT_EQ(clock.wakes() - wakes, 100U);
}

TEST(ScheduledThreadPool, RunsTasksOfOneInstantAtTheSameTime) {
  ManualClock clock;
  RunLog log(clock);
  Pool pool(clock, {.threads = 3});
  for (int id = 1; id <= 4; ++id) {
    pool.schedule(1s, log.task(id, [&] { clock.sleep_for(1s); }));
  }
  clock.run_for(10s);
  const std::vector<Ran> runs = log.runs();
  ASSERT_THAT(runs, SizeIs(4));
  EXPECT_THAT(std::vector(runs.begin(), runs.begin() + 3),
              UnorderedElementsAre(Ran{1, 1s}, Ran{2, 1s}, Ran{3, 1s}));
  EXPECT_EQ(runs[3], (Ran{4, 2s}));
}

// C-25
TEST(ScheduledThreadPool, RunsATaskAsSoonAsOneOfTheSlowOnesEnds) {
  ManualClock clock;
  RunLog log(clock);
  Pool pool(clock, {.threads = 2});
  pool.schedule(1s, log.task(1, [&] { clock.sleep_for(5s); }));
  pool.schedule(2s, log.task(2, [&] { clock.sleep_for(5s); }));
  pool.schedule(3s, log.task(3));
  pool.schedule(6500ms, log.task(4));
  clock.run_for(20s);
  EXPECT_THAT(log.runs(), ElementsAre(Ran{1, 1s}, Ran{2, 2s}, Ran{3, 6s}, Ran{4, 6500ms}));
}

// B-S-25
TEST(ScheduledThreadPool, CountsWhatWaitsRunsAndHasRun) {
  ManualClock clock;
  Pool pool(clock, {.threads = 2});
  for (int i = 0; i < 5; ++i) pool.schedule(1s, sleeper(clock, 1s));
  EXPECT_EQ(pool.pending(), 5U);
  EXPECT_EQ(pool.task_count(), 5U);
  clock.run_until(at(1500ms));
  EXPECT_EQ(pool.pending(), 3U);
  EXPECT_EQ(pool.queue_size(), 3U);
  EXPECT_EQ(pool.active_count(), 2U);
  EXPECT_EQ(pool.completed_task_count(), 0U);
  EXPECT_EQ(pool.task_count(), 5U);
  clock.run_until(at(2500ms));
  EXPECT_EQ(pool.queue_size(), 1U);
  EXPECT_EQ(pool.active_count(), 2U);
  EXPECT_EQ(pool.completed_task_count(), 2U);
  EXPECT_EQ(pool.task_count(), 5U);
  clock.run_until(at(10s));
  EXPECT_EQ(pool.active_count(), 0U);
  EXPECT_EQ(pool.completed_task_count(), 5U);
  EXPECT_EQ(pool.task_count(), 5U);
}

// B-S-25
TEST(ScheduledThreadPool, CountsEachRunOfAPeriodicTaskOnce) {
  ManualClock clock;
  Pool pool(clock);
  std::vector<std::size_t> counts;
  const auto future =
      pool.schedule_at_fixed_rate(10ms, 10ms, [&] { counts.push_back(pool.task_count()); });
  clock.run_until(at(35ms));
  EXPECT_THAT(counts, ElementsAre(1U, 2U, 3U));
  EXPECT_EQ(pool.task_count(), 4U);
}

// Tests that no lock is held.

TEST(ScheduledThreadPool, LetsATaskDoAnythingButWaitForItself) {
  ManualClock clock;
  RunLog log(clock);
  Pool pool(clock);
  const auto other = pool.schedule(1h, [] {});
  const auto future = pool.schedule_at_fixed_rate(1h, 1h, [] {});
  pool.schedule(10ms, [&] {
    pool.schedule(0s, log.task(1));
    pool.submit(10ms, log.task(2));
    EXPECT_EQ(pool.cancel(other), CancelResult::cancelled);
    EXPECT_TRUE(future.cancel());
    EXPECT_EQ(pool.pending(), 2U);
    EXPECT_EQ(pool.purge(), 0U);
    pool.shutdown();
  });
  clock.run_for(1s);
  EXPECT_THAT(log.runs(), ElementsAre(Ran{1, 10ms}, Ran{2, 20ms}));
  EXPECT_TRUE(pool.is_terminated());
}

TEST(ScheduledThreadPool, DestroysTasksWithoutALock) {
  ManualClock clock;
  Pool pool(clock);
  int dead = 0;
  const auto task = [&] {
    return [p = probe([&] {
              pool.queue_size();
              ++dead;
            })] {};
  };
  pool.schedule(10ms, task());
  pool.submit(10ms, task());
  pool.cancel(pool.schedule(1h, task()));
  pool.remove(pool.schedule(1h, task()));
  const auto future = pool.submit(1h, task());
  future.cancel();
  const auto periodic = pool.schedule_at_fixed_rate(1h, 1h, task());
  clock.advance_by(10ms);
  EXPECT_EQ(dead, 5);
  pool.shutdown();
  EXPECT_EQ(dead, 6);
  EXPECT_THROW(pool.schedule(1h, task()), RejectedTask);
  EXPECT_EQ(dead, 7);
}

//
TEST(ScheduledThreadPool, RefusesATaskThatWaitsForItsOwnDeath) {
  ManualClock clock;
  Pool pool(clock);
  int refusals = 0;
  const auto task = [&] {
    return [p = probe([&] {
              EXPECT_THROW(pool.stop(), std::logic_error);
              EXPECT_THROW(pool.await_termination(1h), std::logic_error);
              ++refusals;
            })] {};
  };
  pool.schedule(10ms, task());
  pool.submit(10ms, task());
  pool.schedule_at_fixed_rate(10ms, 10ms, [p = task()] { throw std::runtime_error("once"); });
  clock.advance_by(10ms);
  EXPECT_EQ(refusals, 3);
  pool.schedule_at_fixed_rate(1h, 1h, task());
  pool.shutdown();
  EXPECT_EQ(refusals, 4);
  EXPECT_TRUE(pool.is_terminated());
}

//
TEST(ScheduledThreadPool, IsStoppedByATaskWhoseFutureIsCancelled) {
  ManualClock clock;
  Pool pool(clock);
  std::size_t returned = 0;
  pool.schedule(1h, [] {});
  const auto future = pool.submit(1h, [p = probe([&] { returned = pool.stop().size(); })] {});
  EXPECT_TRUE(future.cancel());
  EXPECT_EQ(returned, 1U);
  EXPECT_TRUE(pool.is_terminated());
}

TEST(ScheduledThreadPool, LetsATaskOwnItsFuture) {
  ManualClock clock;
  Pool pool(clock);
  bool is_dead = false;
  const auto future = std::make_shared<std::optional<Pool::Future<void>>>();
  *future = pool.submit(1h, [future, p = probe([&] { is_dead = true; })] {});
  EXPECT_TRUE((*future)->cancel());
  EXPECT_TRUE(is_dead);
}

}  // namespace
}  // namespace timers
