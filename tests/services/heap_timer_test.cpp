/// What HeapTimer does in the same way as java.util.Timer: task objects, refusals, the order of
/// equal deadlines, and when its thread wakes.

#include "impls/services/heap_timer.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <exception>
#include <memory>
#include <stdexcept>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "impls/clocks/clock.hpp"
#include "tests/services/attempt.hpp"
#include "tests/services/run_log.hpp"
#include "tests/services/scarce_clock.hpp"

namespace timers {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using testing::ThrowsMessage;

using Timer = HeapTimer<ManualClock>;

static_assert(TimerService<HeapTimer<ManualClock>> && TimerService<HeapTimer<SteadyClock>>);
static_assert(sizeof(HeapTimerNode) == sizeof(TimerTask) + 32, "a line of the cache");

/// All ways to schedule a task object. Here it is scheduled for 1 s, with a clock that begins at 0.
constexpr void (*kWays[])(Timer&, const HeapTimerTask&) = {
    [](Timer& timer, const HeapTimerTask& task) { timer.schedule(task, 1s); },
    [](Timer& timer, const HeapTimerTask& task) { timer.schedule(task, Instant(1s)); },
    [](Timer& timer, const HeapTimerTask& task) { timer.schedule(task, 1s, 1s); },
    [](Timer& timer, const HeapTimerTask& task) { timer.schedule(task, Instant(1s), 1s); },
    [](Timer& timer, const HeapTimerTask& task) { timer.schedule_at_fixed_rate(task, 1s, 1s); },
    [](Timer& timer, const HeapTimerTask& task) {
      timer.schedule_at_fixed_rate(task, Instant(1s), 1s);
    }};

HeapTimerTask idle_task() {
  return HeapTimerTask([] {});
}

auto refuses_as_used() { return ThrowsMessage<std::invalid_argument>(HasSubstr("once")); }
auto refuses_as_closed() { return ThrowsMessage<RejectedTask>(HasSubstr("cancelled or stopped")); }
auto refuses_with(const char* words) {
  return ThrowsMessage<std::invalid_argument>(HasSubstr(words));
}

// B-T-01, D-26
TEST(HeapTimer, SchedulesATaskOnceInWhateverWay) {
  for (const auto schedule : kWays) {
    for (const auto schedule_again : kWays) {
      ManualClock clock;
      RunLog log(clock);
      Timer timer(clock);
      const HeapTimerTask task(log.task(1));
      schedule(timer, task);
      EXPECT_THAT(Attempt([&] { schedule_again(timer, task); }), refuses_as_used());
      EXPECT_EQ(timer.pending(), 1u);
      clock.run_for(1s);
      EXPECT_THAT(log.runs(), ElementsAre(Ran{1, 1s}));
    }
  }
}

// B-T-01
TEST(HeapTimer, RefusesATaskThatRan) {
  ManualClock clock;
  RunLog log(clock);
  Timer timer(clock);
  const HeapTimerTask task(log.task(1));
  timer.schedule(task, 1s);
  clock.run_for(1s);
  EXPECT_THAT(Attempt([&] { timer.schedule(task, 1s); }), refuses_as_used());
  clock.run_for(1h);
  EXPECT_EQ(log.size(), 1u);
}

// D-26
TEST(HeapTimer, RefusesARepeatingTaskInItsRun) {
  ManualClock clock;
  Timer timer(clock);
  int refusals = 0;
  HeapTimerTask task;
  task = HeapTimerTask([&] {
    EXPECT_THAT(Attempt([&] { timer.schedule(task, 1s); }), refuses_as_used());
    ++refusals;
  });
  timer.schedule(task, 1s, 10s);
  clock.run_for(1s);
  EXPECT_EQ(refusals, 1);
}

// B-T-01
TEST(HeapTimer, RefusesATaskOfAnotherTimer) {
  ManualClock clock;
  Timer timer(clock);
  Timer other(clock);
  const HeapTimerTask task = idle_task();
  timer.schedule(task, 1s);
  EXPECT_THAT(Attempt([&] { other.schedule(task, 1s); }), refuses_as_used());
  EXPECT_EQ(other.pending(), 0u);
}

// B-T-02, B-T-07
TEST(HeapTimer, RefusesANegativeDelay) {
  ManualClock clock;
  RunLog log(clock);
  Timer timer(clock);
  const HeapTimerTask task(log.task(1));
  const auto refuses = refuses_with("must not be negative, and is -1 ns");
  EXPECT_THAT(Attempt([&] { timer.schedule(task, -1ns); }), refuses);
  EXPECT_THAT(Attempt([&] { timer.schedule(task, -1ns, 1s); }), refuses);
  EXPECT_THAT(Attempt([&] { timer.schedule_at_fixed_rate(task, -1ns, 1s); }), refuses);
  EXPECT_THAT(Attempt([&] { timer.schedule(-1ns, [] {}); }), refuses);
  EXPECT_EQ(timer.pending(), 0u);
  timer.schedule(task, 0ns);
  clock.settle();
  EXPECT_THAT(log.runs(), ElementsAre(Ran{1, 0ns}));
}

// B-T-03
TEST(HeapTimer, RefusesADelayThatLeadsToTheLastInstantOrBeyond) {
  ManualClock clock(Instant(1us));
  Timer timer(clock);
  const HeapTimerTask task = idle_task();
  const auto refuses = refuses_with("before the last instant, and is 9223372036854775807 ns");
  EXPECT_THAT(Attempt([&] { timer.schedule(task, Duration::max()); }), refuses);
  EXPECT_THAT(Attempt([&] { timer.schedule(task, Duration::max(), 1s); }), refuses);
  EXPECT_THAT(Attempt([&] { timer.schedule_at_fixed_rate(task, Duration::max(), 1s); }), refuses);
  EXPECT_THAT(Attempt([&] { timer.schedule(Duration::max(), [] {}); }), refuses);
  EXPECT_THAT(Attempt([&] { timer.schedule(task, Duration::max() - 1us); }),
              refuses_with("9223372036854774807 ns"));
  timer.schedule(task, Duration::max() - 1us - 1ns);
  EXPECT_EQ(timer.pending(), 1u);
}

// B-T-04
TEST(HeapTimer, RefusesAnInstantBeforeTheEpoch) {
  ManualClock clock;
  Timer timer(clock);
  const HeapTimerTask task = idle_task();
  const auto refuses = refuses_with("before the clock's epoch, and is at -1 ns");
  EXPECT_THAT(Attempt([&] { timer.schedule(task, Instant(-1ns)); }), refuses);
  EXPECT_THAT(Attempt([&] { timer.schedule(task, Instant(-1ns), 1s); }), refuses);
  EXPECT_THAT(Attempt([&] { timer.schedule_at_fixed_rate(task, Instant(-1ns), 1s); }), refuses);
  EXPECT_THAT(Attempt([&] { timer.schedule(task, Instant::min()); }),
              refuses_with("-9223372036854775808 ns"));
  EXPECT_EQ(timer.pending(), 0u);
}

// B-T-04
TEST(HeapTimer, RunsATaskOfThePastAtOnce) {
  ManualClock clock(Instant(10s));
  RunLog log(clock);
  Timer timer(clock);
  timer.schedule(HeapTimerTask(log.task(1)), Instant{});
  clock.settle();
  EXPECT_THAT(log.runs(), ElementsAre(Ran{1, 10s}));
}

// B-T-05, A-109
TEST(HeapTimer, RefusesAPeriodInWhichNoTimePasses) {
  ManualClock clock;
  Timer timer(clock);
  const HeapTimerTask task = idle_task();
  for (const Duration period : {0ns, -42ns}) {
    const std::string words = "at least 1 ns, and is " + std::to_string(period.count()) + " ns";
    const auto refuses = refuses_with(words.c_str());
    EXPECT_THAT(Attempt([&] { timer.schedule(task, 1s, period); }), refuses);
    EXPECT_THAT(Attempt([&] { timer.schedule(task, Instant(1s), period); }), refuses);
    EXPECT_THAT(Attempt([&] { timer.schedule_at_fixed_rate(task, 1s, period); }), refuses);
    EXPECT_THAT(Attempt([&] { timer.schedule_at_fixed_rate(task, Instant(1s), period); }), refuses);
  }
  EXPECT_EQ(timer.pending(), 0u);
}

// B-T-06
TEST(HeapTimer, ChecksTheArgumentsInTheOrderOfTheOriginal) {
  ManualClock clock;
  Timer timer(clock);
  const HeapTimerTask none;
  EXPECT_THAT(Attempt([&] { timer.schedule(none, -1ns, 0ns); }),
              refuses_with("delay must not be negative"));
  EXPECT_THAT(Attempt([&] { timer.schedule(none, Duration::max(), 0ns); }), refuses_with("period"));
  EXPECT_THAT(Attempt([&] { timer.schedule(none, Instant(-1ns), 0ns); }), refuses_with("period"));
  EXPECT_THAT(Attempt([&] { timer.schedule(none, Duration::max(), 1s); }),
              refuses_with("last instant"));
  EXPECT_THAT(Attempt([&] { timer.schedule(none, Instant(-1ns), 1s); }), refuses_with("epoch"));
}

// B-T-06
TEST(HeapTimer, ChecksTheArgumentsBeforeItself) {
  ManualClock clock;
  Timer timer(clock);
  timer.cancel();
  const HeapTimerTask task = idle_task();
  EXPECT_THAT(Attempt([&] { timer.schedule(task, -1ns); }), refuses_with("delay"));
  EXPECT_THAT(Attempt([&] { timer.schedule(task, Duration::max()); }), refuses_with("delay"));
  EXPECT_THAT(Attempt([&] { timer.schedule(task, 1s, 0ns); }), refuses_with("period"));
  EXPECT_THAT(Attempt([&] { timer.schedule(task, Instant(-1ns)); }), refuses_with("epoch"));
}

// B-T-06
TEST(HeapTimer, ChecksItselfBeforeTheTask) {
  ManualClock clock;
  Timer timer(clock);
  const HeapTimerTask none;
  const HeapTimerTask used = idle_task();
  timer.schedule(used, 1s);
  EXPECT_THAT(Attempt([&] { timer.schedule(none, 1s); }), refuses_with("needs a task"));
  EXPECT_THAT(Attempt([&] { timer.schedule(HeapTimerTask(nullptr), 1s); }),
              refuses_with("needs a task"));
  EXPECT_THAT(Attempt([&] { timer.schedule(1s, nullptr); }), refuses_with("needs a task"));
  EXPECT_THAT(Attempt([&] { timer.schedule(used, 1s); }), refuses_as_used());
  timer.cancel();
  EXPECT_THAT(Attempt([&] { timer.schedule(none, 1s); }), refuses_as_closed());
  EXPECT_THAT(Attempt([&] { timer.schedule(1s, nullptr); }), refuses_as_closed());
  EXPECT_THAT(Attempt([&] { timer.schedule(used, 1s); }), refuses_as_closed());
}

// B-T-07
TEST(HeapTimer, SchedulesATaskAfterItsRefusals) {
  ManualClock clock;
  RunLog log(clock);
  Timer timer(clock);
  Timer dead(clock);
  dead.cancel();
  const HeapTimerTask task(log.task(1));
  EXPECT_THROW(timer.schedule(task, -1ns), std::invalid_argument);
  EXPECT_THROW(timer.schedule(task, 1s, 0ns), std::invalid_argument);
  EXPECT_THROW(timer.schedule(task, Duration::max()), std::invalid_argument);
  EXPECT_THROW(dead.schedule(task, 1s), RejectedTask);
  timer.schedule(task, 1s);
  clock.run_for(1s);
  EXPECT_THAT(log.runs(), ElementsAre(Ran{1, 1s}));
}

// B-T-08
TEST(HeapTimer, CannotScheduleATaskThatWasCancelledBefore) {
  ManualClock clock;
  Timer timer(clock);
  HeapTimerTask task = idle_task();
  EXPECT_FALSE(task.cancel());
  for (const auto schedule : kWays) {
    EXPECT_THAT(Attempt([&] { schedule(timer, task); }), refuses_as_used());
  }
  EXPECT_EQ(timer.pending(), 0u);
}

// B-T-08
TEST(HeapTimer, CancelsAScheduledTaskOnce) {
  ManualClock clock;
  RunLog log(clock);
  Timer timer(clock);
  HeapTimerTask task(log.task(1));
  timer.schedule(task, 1s);
  EXPECT_TRUE(task.cancel());
  EXPECT_FALSE(task.cancel());
  EXPECT_EQ(timer.pending(), 0u);
  clock.run_for(1h);
  EXPECT_THAT(log.runs(), IsEmpty());
}

// B-T-08
TEST(HeapTimer, DoesNotCancelATaskThatRan) {
  ManualClock clock;
  RunLog log(clock);
  Timer timer(clock);
  HeapTimerTask task(log.task(1));
  timer.schedule(task, 1s);
  clock.run_for(1s);
  EXPECT_FALSE(task.cancel());
  EXPECT_EQ(log.size(), 1u);
}

// B-T-09
TEST(HeapTimer, DoesNotCancelATaskInItsOnlyRun) {
  ManualClock clock;
  Timer timer(clock);
  int runs = 0;
  HeapTimerTask task;
  task = HeapTimerTask([&] {
    ++runs;
    EXPECT_FALSE(task.cancel());
    EXPECT_EQ(timer.cancel(task), CancelResult::running);
  });
  timer.schedule(task, 1s);
  clock.run_for(1s);
  EXPECT_EQ(runs, 1);
}

// B-T-09
TEST(HeapTimer, CancelsTheOtherRunsOfARepeatingTaskInItsRun) {
  ManualClock clock;
  Timer timer(clock);
  int runs = 0;
  HeapTimerTask task;
  task = HeapTimerTask([&] {
    ++runs;
    EXPECT_TRUE(task.cancel());
    EXPECT_FALSE(task.cancel());
  });
  timer.schedule(task, 1s, 1s);
  clock.run_for(1h);
  EXPECT_EQ(runs, 1);
  EXPECT_FALSE(task.cancel());
}

// B-T-10
TEST(HeapTimer, KeepsCancelledTasksUntilItPurges) {
  for (const std::size_t cancelled : {0u, 1u, 500u, 999u, 1000u}) {
    ManualClock clock;
    RunLog log(clock);
    Timer timer(clock);
    std::vector<HeapTimerTask> tasks;
    for (int hours = 1; hours <= 1000; ++hours) {
      tasks.push_back(timer.schedule(std::chrono::hours(hours), log.task(hours)));
    }
    clock.settle();
    for (std::size_t i = 0; i < cancelled; ++i) EXPECT_TRUE(tasks[i * 7 % 1000].cancel());
    EXPECT_EQ(timer.pending(), 1000 - cancelled);
    EXPECT_EQ(timer.purge(), cancelled);
    EXPECT_EQ(timer.purge(), 0u);
    clock.run_for(1000h);
    EXPECT_THAT(log.runs(), SizeIs(1000 - cancelled));
    for (const Ran& run : log.runs()) EXPECT_EQ(run.at, std::chrono::hours(run.id));
  }
}

// B-T-10
TEST(HeapTimer, DropsACancelledTaskThatComesToTheTop) {
  ManualClock clock;
  RunLog log(clock);
  Timer timer(clock);
  auto first = timer.schedule(1s, log.task(1));
  auto second = timer.schedule(2s, log.task(2));
  timer.schedule(3s, log.task(3));
  auto last = timer.schedule(4s, log.task(4));
  clock.settle();
  EXPECT_TRUE(first.cancel() && second.cancel() && last.cancel());
  clock.run_for(1s);
  EXPECT_EQ(timer.purge(), 1u);
  clock.run_for(1h);
  EXPECT_THAT(log.runs(), ElementsAre(Ran{3, 3s}));
}

/// In which order tasks with these deadlines (in ms) run, if all are due.
std::vector<int> order_of(const std::vector<int>& deadlines) {
  ManualClock clock;
  RunLog log(clock);
  Timer timer(clock);
  int id = 0;
  for (const int deadline : deadlines) timer.schedule(deadline * 1ms, log.task(id++));
  clock.advance_by(1s);
  std::vector<int> order;
  for (const Ran& run : log.runs()) order.push_back(run.id);
  return order;
}

// B-T-11
TEST(HeapTimer, RunsTasksOfOneDeadlineInTheOrderOfTheHeap) {
  EXPECT_THAT(order_of(std::vector<int>(4, 10)), ElementsAre(0, 3, 2, 1));
  EXPECT_THAT(order_of(std::vector<int>(5, 10)), ElementsAre(0, 4, 3, 2, 1));
  EXPECT_THAT(order_of(std::vector<int>(8, 10)), ElementsAre(0, 7, 6, 5, 4, 3, 2, 1));
  EXPECT_THAT(order_of(std::vector<int>(10, 10)), ElementsAre(0, 9, 8, 7, 6, 5, 4, 3, 2, 1));
}

// B-T-12
TEST(HeapTimer, RunsMixedTiesInTheOrderOfTheHeap) {
  EXPECT_THAT(order_of({50, 10, 30, 10, 50, 30, 10}), ElementsAre(1, 3, 6, 2, 5, 0, 4));
}

// B-T-13
TEST(HeapTimer, GrowsBeyondTheFirstArrayOfTheOriginal) {
  for (const int count : {128, 129}) {
    ManualClock clock;
    RunLog log(clock);
    Timer timer(clock);
    for (int i = count; i > 0; --i) timer.schedule(i * 1ms, log.task(i));
    clock.run_for(1s);
    std::vector<Ran> all;
    for (int i = 1; i <= count; ++i) all.push_back({i, i * 1ms});
    EXPECT_EQ(log.runs(), all);
  }
}

// B-T-14, D-27
TEST(HeapTimer, DiesOfATaskThatThrowsIfItIsToBeAsInTheJdk) {
  ManualClock clock;
  RunLog log(clock);
  int errors = 0;
  auto options = Timer::as_in_jdk();
  options.on_error = [&](const std::exception_ptr&) { ++errors; };
  Timer timer(clock, options);
  auto later = timer.schedule(50ms, log.task(1));
  timer.schedule(0ms, [] { throw std::runtime_error("dies"); });
  clock.run_for(1s);
  EXPECT_EQ(errors, 1);
  EXPECT_THAT(log.runs(), IsEmpty());
  EXPECT_EQ(timer.pending(), 0u);
  EXPECT_EQ(timer.purge(), 0u);
  EXPECT_FALSE(later.cancel());
  EXPECT_THAT(Attempt([&] { timer.schedule(1s, [] {}); }), refuses_as_closed());
}

// B-T-14
TEST(HeapTimer, DiesOfARepeatingTaskThatThrowsIfItIsToBeAsInTheJdk) {
  ManualClock clock;
  RunLog log(clock);
  auto options = Timer::as_in_jdk();
  options.on_error = nullptr;
  Timer timer(clock, options);
  HeapTimerTask task(log.task(1, [] { throw std::runtime_error("dies"); }));
  timer.schedule(task, 1s, 1s);
  clock.run_for(10s);
  EXPECT_THAT(log.runs(), ElementsAre(Ran{1, 1s}));
  EXPECT_EQ(timer.pending(), 0u);
  EXPECT_EQ(timer.cancel(task), CancelResult::gone);
}

TEST(HeapTimer, OutlivesATaskThatThrows) {
  ManualClock clock;
  RunLog log(clock);
  int errors = 0;
  Timer timer(clock, {.on_error = [&](const std::exception_ptr&) { ++errors; }});
  timer.schedule(HeapTimerTask(log.task(1, [] { throw std::runtime_error("harmless"); })), 1s, 2s);
  timer.schedule(2s, log.task(2));
  clock.run_for(4s);
  EXPECT_THAT(log.runs(), ElementsAre(Ran{1, 1s}, Ran{2, 2s}, Ran{1, 3s}));
  EXPECT_EQ(errors, 2);
}

// B-T-19
TEST(HeapTimer, CancelsAllTasksAndItself) {
  ManualClock clock;
  RunLog log(clock);
  Timer timer(clock);
  auto held = std::make_shared<int>();
  auto task = timer.schedule(1s, [held] { FAIL(); });
  timer.schedule(HeapTimerTask(log.task(1)), 1s, 1s);
  clock.settle();
  timer.cancel();
  EXPECT_EQ(held.use_count(), 1);
  EXPECT_EQ(timer.pending(), 0u);
  EXPECT_FALSE(task.cancel());
  timer.cancel();
  clock.run_for(1h);
  EXPECT_THAT(log.runs(), IsEmpty());
  EXPECT_THAT(timer.stop(), IsEmpty());
}

// B-T-19
TEST(HeapTimer, LetsTheTaskThatRunsEndWhenItIsCancelled) {
  ManualClock clock;
  RunLog log(clock);
  Timer timer(clock);
  bool ended = false;
  HeapTimerTask task(log.task(1, [&] {
    clock.sleep_for(5s);
    ended = true;
  }));
  timer.schedule(task, 1s, 1s);
  clock.run_for(2s);
  timer.cancel();
  EXPECT_EQ(timer.cancel(task), CancelResult::running);
  EXPECT_FALSE(ended);
  clock.run_for(1h);
  EXPECT_TRUE(ended);
  EXPECT_THAT(log.runs(), ElementsAre(Ran{1, 1s}));
  EXPECT_EQ(timer.cancel(task), CancelResult::gone);
}

// B-T-19
TEST(HeapTimer, RunsNoOtherTaskAfterOneThatCancelsIt) {
  ManualClock clock;
  RunLog log(clock);
  Timer timer(clock);
  timer.schedule_at_fixed_rate(HeapTimerTask(log.task(1, [&] { timer.cancel(); })), 1s, 1s);
  timer.schedule(2s, log.task(2));
  clock.advance_by(1h);
  EXPECT_THAT(log.runs(), ElementsAre(Ran{1, 1h}));
  EXPECT_EQ(timer.pending(), 0u);
}

// B-T-20
TEST(HeapTimer, RefusesAllTasksAfterItsCancel) {
  ManualClock clock;
  Timer timer(clock);
  timer.cancel();
  for (const auto schedule : kWays) {
    EXPECT_THAT(Attempt([&] { schedule(timer, idle_task()); }), refuses_as_closed());
  }
  EXPECT_THAT(Attempt([&] { timer.schedule(1s, [] {}); }), refuses_as_closed());
}

// B-T-21, C-08
TEST(HeapTimer, WakesItsThreadOnlyForATaskBeforeAllOthers) {
  ManualClock clock;
  RunLog log(clock);
  Timer timer(clock);
  timer.schedule(10s, log.task(1));
  clock.settle();
  const std::size_t before = clock.wakes();
  for (int i = 0; i < 1000; ++i) timer.schedule(10s + i * 1ms, log.task(2));
  clock.settle();
  EXPECT_EQ(clock.wakes(), before);
  timer.schedule(10s - 1ns, log.task(0));
  clock.settle();
  EXPECT_EQ(clock.wakes(), before + 1);
  clock.run_for(1h);
  EXPECT_EQ(log.runs().front(), (Ran{0, 10s - 1ns}));
  EXPECT_EQ(log.size(), 1002u);
}

TEST(HeapTimer, NeedsAThread) {
  ScarceClock clock(0);
  EXPECT_THROW(HeapTimer<ScarceClock>{clock}, std::system_error);
}

TEST(HeapTimer, LeavesATaskUsableWhenItIsNoMore) {
  ManualClock clock;
  RunLog log(clock);
  HeapTimerTask waits(log.task(1));
  HeapTimerTask cancelled(log.task(2));
  {
    Timer timer(clock);
    timer.schedule(waits, 1s);
    timer.schedule(cancelled, 2s);
    EXPECT_TRUE(cancelled.cancel());
  }
  EXPECT_FALSE(waits.cancel());
  EXPECT_FALSE(cancelled.cancel());
  EXPECT_EQ(waits.scheduled_execution_time(), Instant(1s));
}

TEST(HeapTimer, ReturnsTheTasksThatWaitWhenItStops) {
  ManualClock clock;
  RunLog log(clock);
  Timer timer(clock);
  HeapTimerTask cancelled(log.task(1));
  HeapTimerTask waits(log.task(2));
  timer.schedule(cancelled, 1s);
  timer.schedule(waits, 1s);
  timer.schedule(HeapTimerTask(log.task(3)), 1s, 1s);
  cancelled.cancel();
  std::vector<TimerTask> never_ran = timer.stop();
  EXPECT_EQ(timer.pending(), 0u);
  EXPECT_FALSE(waits.cancel());
  EXPECT_THAT(log.runs(), IsEmpty());
  for (TimerTask& task : never_ran) task();
  EXPECT_THAT(log.runs(), testing::UnorderedElementsAre(Ran{2, 0ns}, Ran{3, 0ns}));
}

TEST(HeapTimer, HoldsNoLockWhileItDestroysTasks) {
  ManualClock clock;
  Timer timer(clock);
  int destroyed = 0;
  const auto task_that_calls_when_destroyed = [&] {
    return [caller = std::shared_ptr<void>(nullptr, [&](void*) {
              timer.purge();
              ++destroyed;
            })] {};
  };
  timer.schedule(1s, task_that_calls_when_destroyed());
  clock.run_for(1s);
  EXPECT_EQ(destroyed, 1);
  timer.cancel(timer.schedule(1s, task_that_calls_when_destroyed()));
  EXPECT_EQ(destroyed, 2);
  timer.schedule(1s, task_that_calls_when_destroyed());
  timer.cancel();
  EXPECT_EQ(destroyed, 3);
  EXPECT_THROW(timer.schedule(1s, task_that_calls_when_destroyed()), RejectedTask);
  EXPECT_EQ(destroyed, 4);
}

//
TEST(HeapTimer, RefusesToBeStoppedByATaskThatDiesWithIt) {
  ManualClock clock;
  auto options = Timer::as_in_jdk();
  options.on_error = nullptr;
  Timer timer(clock, options);
  int refusals = 0;
  timer.schedule(1h, [stopper = std::shared_ptr<void>(nullptr, [&](void*) {
                        EXPECT_THROW(timer.stop(), std::logic_error);
                        ++refusals;
                      })] {});
  timer.schedule(1s, [] { throw std::runtime_error("dies"); });
  clock.run_for(1s);
  EXPECT_EQ(refusals, 1);
  EXPECT_EQ(timer.pending(), 0u);
}

// B-T-01
TEST(HeapTimer, LetsOneOfTwoTimersHaveATask) {
  ManualClock clock;
  Timer one(clock);
  Timer other(clock);
  for (int round = 0; round < 300; ++round) {
    HeapTimerTask task = idle_task();
    const auto schedules = [&task](Timer& timer) {
      try {
        timer.schedule(task, 1h);
        return true;
      } catch (const std::invalid_argument&) {
        return false;
      }
    };
    bool other_has_it = false;
    std::thread thread([&] { other_has_it = schedules(other); });
    const bool one_has_it = schedules(one);
    thread.join();
    EXPECT_NE(one_has_it, other_has_it);
    EXPECT_EQ(one.pending() + other.pending(), 1u);
    EXPECT_TRUE(task.cancel());
  }
}

// B-T-08
TEST(HeapTimer, EitherCancelsATaskThatIsBeingScheduledOrRefusesIt) {
  ManualClock clock;
  Timer timer(clock);
  for (int round = 0; round < 300; ++round) {
    HeapTimerTask task = idle_task();
    bool cancelled = false;
    std::thread canceller([&] { cancelled = task.cancel(); });
    bool scheduled = true;
    try {
      timer.schedule(task, 1h);
    } catch (const std::invalid_argument&) {
      scheduled = false;
    }
    canceller.join();
    EXPECT_EQ(cancelled, scheduled);
    EXPECT_EQ(timer.pending(), 0u);
  }
}

}  // namespace
}  // namespace timers
