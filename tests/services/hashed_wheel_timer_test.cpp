/// When HashedWheelTimer runs its timers: the same as Netty's, and where its defaults differ. These
/// tests cover ticks, turns and jumps, delays without end, executors, and when the worker wakes.

#include "impls/services/hashed_wheel_timer.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "impls/clocks/clock.hpp"
#include "impls/services/parts/executor.hpp"
#include "tests/conformance/sanitizers.hpp"
#include "tests/services/attempt.hpp"
#include "tests/services/hashed_wheels.hpp"
#include "tests/services/run_log.hpp"

namespace timers {
namespace {

using namespace std::chrono_literals;
using testing::AllOf;
using testing::Each;
using testing::ElementsAre;
using testing::Ge;
using testing::Gt;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Le;
using testing::SizeIs;
using testing::ThrowsMessage;

using Timer = HashedWheelTimer<ManualClock>;
using Options = HashedWheelTimerOptions;

static_assert(TimerService<Timer> && TimerService<HashedWheelTimer<SteadyClock>>);

/// The instants, in milliseconds, at which timers with these delays run. All are scheduled at
/// `now`.
std::vector<long> instants(const Options& options, long now, const std::vector<long>& delays) {
  ManualClock clock;
  Timer timer(clock, options);
  timer.start();
  clock.advance_by(std::chrono::milliseconds(now));
  std::vector<long> ran_at(delays.size(), -1);
  for (std::size_t i = 0; i < delays.size(); ++i) {
    timer.schedule(std::chrono::milliseconds(delays[i]),
                   [&clock, at = &ran_at[i]] { *at = clock.now().time_since_epoch() / 1ms; });
  }
  clock.run_for(10s);
  return ran_at;
}

void do_nothing() {}

// B-N-01
TEST(HashedWheelTimerAsInNetty, RunsAtTheTickAfterTheDeadline) {
  EXPECT_THAT(instants(netty(), 0, {0, 1, 99, 100, 101, 199, 200, 799, 800, 801, 900, 1600}),
              ElementsAre(100, 100, 100, 200, 200, 200, 300, 800, 900, 900, 1000, 1700));
}

// B-N-02
TEST(HashedWheelTimerAsInNetty, CountsADelayFromInsideATick) {
  EXPECT_THAT(instants(netty(), 250, {0, 1, 49, 50, 51}), ElementsAre(300, 300, 300, 400, 400));
}

// B-N-03
TEST(HashedWheelTimerAsInNetty, RunsNegativeDelaysAtTheNextTick) {
  EXPECT_THAT(instants(netty(), 250, {-1, -250, -300, -100'000}), Each(300));
}

// B-N-04, A-03
TEST(HashedWheelTimerAsInNetty, IsLateByMoreThanNothingAndUpToATick) {
  std::vector<long> delays(51);
  std::iota(delays.begin(), delays.end(), 0);
  std::vector<long> lateness = instants(netty(10ms), 0, delays);
  for (const long delay : delays) lateness[static_cast<std::size_t>(delay)] -= delay;
  EXPECT_THAT(lateness, Each(AllOf(Ge(1), Le(10))));
  EXPECT_EQ(lateness[20], 10);
}

// B-N-04, A-03
TEST(HashedWheelTimer, RunsADeadlineOnATickAtThatTick) {
  EXPECT_THAT(instants(kSmallWheel, 0, {0, 1, 99, 100, 101, 199, 200, 799, 800, 801, 900, 1600}),
              ElementsAre(100, 100, 100, 100, 200, 200, 200, 800, 800, 900, 900, 1600));
}

// B-N-02, B-N-03
TEST(HashedWheelTimer, CountsADelayFromInsideATick) {
  EXPECT_THAT(instants(kSmallWheel, 250, {-100'000, -1, 0, 1, 49, 50, 51, 150}),
              ElementsAre(300, 300, 300, 300, 300, 300, 400, 400));
}

// B-N-05
TEST(HashedWheelTimer, RoundsTheWheelUpToAPowerOfTwo) {
  const auto size_for = [](std::size_t ticks_per_wheel) {
    ManualClock clock;
    return Timer(clock, {.ticks_per_wheel = ticks_per_wheel}).ticks_per_wheel();
  };
  EXPECT_EQ(size_for(1), 1u);
  EXPECT_EQ(size_for(3), 4u);
  EXPECT_EQ(size_for(7), 8u);
  EXPECT_EQ(size_for(9), 16u);
  EXPECT_EQ(size_for(31), 32u);
  EXPECT_EQ(size_for(33), 64u);
  EXPECT_EQ(size_for(513), 1024u);
  EXPECT_EQ(size_for(1000), 1024u);
}

// B-N-06
TEST(HashedWheelTimer, HasNettysDefaultSizes) {
  ManualClock clock;
  HashedWheelTimer timer(clock);
  EXPECT_EQ(timer.tick_duration(), 100ms);
  EXPECT_EQ(timer.ticks_per_wheel(), 512u);
  for (int i = 0; i < 100'000; ++i) timer.schedule(1h, do_nothing);
  EXPECT_EQ(timer.pending(), 100'000u);
}

// B-N-07
TEST(HashedWheelTimer, RefusesATickOfNothingAndAWheelOfNone) {
  ManualClock clock;
  EXPECT_THAT(Attempt([&] { Timer(clock, {.tick_duration = 0ns}); }),
              ThrowsMessage<std::invalid_argument>(HasSubstr("at least 1 ns, and is 0 ns")));
  EXPECT_THAT(Attempt([&] { Timer(clock, {.tick_duration = -5ns}); }),
              ThrowsMessage<std::invalid_argument>(HasSubstr("at least 1 ns, and is -5 ns")));
  EXPECT_THAT(Attempt([&] { Timer(clock, {.ticks_per_wheel = 0}); }),
              ThrowsMessage<std::invalid_argument>(HasSubstr("1 to 1048576 ticks, and not 0")));
}

// B-N-08
TEST(HashedWheelTimer, RefusesATurnThatTakesTooLong) {
  ManualClock clock;
  const Duration too_long = Duration::max() / 512;
  EXPECT_THAT(Attempt([&] { Timer(clock, {.tick_duration = too_long}); }),
              ThrowsMessage<std::invalid_argument>(HasSubstr("shorter than 18014398509481983 ns")));
  EXPECT_EQ(Timer(clock, {.tick_duration = too_long - 1ns}).tick_duration(), too_long - 1ns);
}

TEST(HashedWheelTimer, RunsInTheLongestTicksThereAre) {
  ManualClock clock;
  RunLog log(clock);
  const Duration tick = Duration::max() / 512 - 1ns;
  Timer timer(clock, {.tick_duration = tick});
  timer.schedule(1s, log.task(1));
  timer.schedule(300 * tick, log.task(2));
  timer.schedule(Duration::max(), log.task(3));
  clock.run_for(500 * tick);
  EXPECT_THAT(log.runs(), ElementsAre(Ran{1, tick}, Ran{2, 300 * tick}));
  EXPECT_EQ(timer.pending(), 1u);
}

// B-N-09, D-07
TEST(HashedWheelTimerAsInNetty, MakesATickAtLeastAMillisecondLongAndSaysSo) {
  ManualClock clock;
  std::vector<std::string> warnings;
  Options options = netty(10us);
  options.on_warning = [&](std::string_view warning) { warnings.emplace_back(warning); };
  const Timer timer(clock, options);
  EXPECT_EQ(timer.tick_duration(), 1ms);
  EXPECT_THAT(warnings, ElementsAre(HasSubstr("10000 ns is too short, and is made 1000000 ns")));
}

// D-07
TEST(HashedWheelTimer, HasTicksAsShortAsOneLikes) {
  ManualClock clock;
  RunLog log(clock);
  Timer timer(clock, {.tick_duration = 10us});
  timer.schedule(15us, log.task(1));
  timer.schedule(5ms, log.task(2));
  clock.run_for(1s);
  EXPECT_THAT(log.runs(), ElementsAre(Ran{1, 20us}, Ran{2, 5ms}));
}

// B-N-10
TEST(HashedWheelTimerAsInNetty, WaitsForTheTurnOfATimer) {
  EXPECT_THAT(instants(netty(), 0, {2450, 1650, 850, 50}), ElementsAre(2500, 1700, 900, 100));
}

// B-N-11
TEST(HashedWheelTimerAsInNetty, FilesAHundredThousandTimersATick) {
  ManualClock clock;
  Timer timer(clock, netty());
  int runs = 0;
  for (int i = 0; i < 250'000; ++i) timer.schedule(0ms, [&] { ++runs; });
  clock.run_until(Instant(100ms));
  EXPECT_EQ(runs, 100'000);
  clock.run_until(Instant(200ms));
  EXPECT_EQ(runs, 200'000);
  clock.run_until(Instant(300ms));
  EXPECT_EQ(runs, 250'000);
}

// B-N-11, B-N-15
TEST(HashedWheelTimerAsInNetty, FilesAHundredThousandTimersInEachTickOfAJump) {
  ManualClock clock;
  Timer timer(clock, netty(10ms));
  constexpr int kTicks = conformance::kSanitized ? 2 : 10;
  int runs = 0;
  for (int i = 0; i < kTicks * 100'000; ++i) timer.schedule(kTicks * 10ms - 15ms, [&] { ++runs; });
  clock.advance_to(Instant((kTicks - 1) * 10ms));
  EXPECT_EQ(runs, (kTicks - 1) * 100'000);
  clock.advance_to(Instant(kTicks * 10ms));
  EXPECT_EQ(runs, kTicks * 100'000);
}

TEST(HashedWheelTimer, IsNotLateForTheNumberOfTimers) {
  constexpr int kTimers = conformance::share_of(250'000);
  ManualClock clock;
  Timer timer(clock);
  int runs = 0;
  for (int i = 0; i < kTimers; ++i) timer.schedule(0ms, [&] { ++runs; });
  clock.run_until(Instant(100ms));
  EXPECT_EQ(runs, kTimers);
}

TEST(HashedWheelTimer, StartsTheEarlierTaskFirstHoweverManyArriveDuringASlowTask) {
  ManualClock clock;
  Timer timer(clock);
  int later_runs = 0;
  int runs_before = -1;
  timer.schedule(0ms, [&] {
    for (int i = 0; i < 100'000; ++i) timer.schedule(10s, [&] { ++later_runs; });
    timer.schedule(1s, [&] { runs_before = later_runs; });
    clock.sleep_for(20s);
  });
  clock.run_for(30s);
  EXPECT_EQ(runs_before, 0);
  EXPECT_EQ(later_runs, 100'000);
}

// B-N-12
TEST(HashedWheelTimerAsInNetty, FilesCancelledTimersAmongTheHundredThousand) {
  ManualClock clock;
  Timer timer(clock, netty());
  int runs = 0;
  std::vector<Timer::Timeout> timeouts;
  for (int i = 0; i < 150'000; ++i) timeouts.push_back(timer.schedule(0ms, [&] { ++runs; }));
  for (int i = 0; i < 100'000; ++i) ASSERT_TRUE(timeouts[static_cast<std::size_t>(i)].cancel());
  clock.run_until(Instant(100ms));
  EXPECT_EQ(runs, 0);
  EXPECT_EQ(timer.pending(), 50'000u);
  clock.run_until(Instant(200ms));
  EXPECT_EQ(runs, 50'000);
}

// B-N-13, D-17
TEST(HashedWheelTimerAsInNetty, RunsWhatIsDueBeforeItRemovesWhatIsCancelled) {
  ManualClock clock;
  Timer timer(clock, netty());
  std::vector<Timer::Timeout> timeouts;
  for (int i = 0; i < 100'000; ++i) timeouts.push_back(timer.schedule(1h, do_nothing));
  clock.run_until(Instant(100ms));
  std::size_t pending_in_task = 0;
  timer.schedule(50ms, [&] { pending_in_task = timer.pending(); });
  for (const auto& timeout : timeouts) timeout.cancel();
  clock.run_until(Instant(200ms));
  EXPECT_EQ(pending_in_task, 100'000u);
  EXPECT_EQ(timer.pending(), 0u);
}

std::vector<Ran> runs_of_a_jump(const Options& options) {
  ManualClock clock;
  RunLog log(clock);
  Timer timer(clock, options);
  for (const int delay : {950, 850, 150, 50, 1650, 250}) {
    timer.schedule(std::chrono::milliseconds(delay), log.task(delay));
  }
  clock.advance_to(Instant(10s));
  return log.runs();
}

// B-N-14
TEST(HashedWheelTimerAsInNetty, RunsTicksInOrderAfterAJump) {
  EXPECT_THAT(runs_of_a_jump(netty()), ElementsAre(Ran{50, 10s}, Ran{150, 10s}, Ran{250, 10s},
                                                   Ran{850, 10s}, Ran{950, 10s}, Ran{1650, 10s}));
}

// B-N-14
TEST(HashedWheelTimer, RunsTheSameInTheSameOrderAfterAJump) {
  EXPECT_EQ(runs_of_a_jump(kSmallWheel), runs_of_a_jump(netty()));
}

// B-N-14
TEST(HashedWheelTimer, RunsTimersOfATickInTheOrderOfTheirComing) {
  ManualClock clock;
  RunLog log(clock);
  Timer timer(clock, kSmallWheel);
  for (const int delay : {199, 101, 150, 101, 200}) {
    timer.schedule(std::chrono::milliseconds(delay), log.task(delay));
  }
  clock.run_for(1s);
  EXPECT_THAT(log.runs(), ElementsAre(Ran{199, 200ms}, Ran{101, 200ms}, Ran{150, 200ms},
                                      Ran{101, 200ms}, Ran{200, 200ms}));
}

// B-N-15
TEST(HashedWheelTimerAsInNetty, StepsThroughAJumpWithoutSleeping) {
  ManualClock clock;
  RunLog log(clock);
  Timer timer(clock, netty());
  timer.schedule(0ms, log.task(1, [&] {
    timer.schedule(0ms, log.task(2));
    timer.schedule(-900ms, log.task(3));
  }));
  clock.settle();
  const std::size_t before = clock.wakes();
  clock.advance_to(Instant(1s));
  EXPECT_EQ(clock.wakes(), before + 1);
  clock.run_for(1s);
  EXPECT_THAT(log.runs(), ElementsAre(Ran{1, 1s}, Ran{2, 1100ms}, Ran{3, 1100ms}));
}

//
TEST(HashedWheelTimer, JumpsOverATrillionTicksAtOnce) {
  ManualClock clock;
  RunLog log(clock);
  Timer timer(clock, {.tick_duration = 1ms, .ticks_per_wheel = 8});
  constexpr Duration kTrillionTicks = 1'000'000'000'000 * 1ms;
  timer.schedule(2 * kTrillionTicks, log.task(4));
  timer.schedule(kTrillionTicks - 1ms, log.task(3));
  timer.schedule(1h, log.task(2));
  timer.schedule(1ms, log.task(1));
  clock.advance_to(Instant(kTrillionTicks));
  EXPECT_THAT(log.runs(),
              ElementsAre(Ran{1, kTrillionTicks}, Ran{2, kTrillionTicks}, Ran{3, kTrillionTicks}));
  EXPECT_EQ(timer.pending(), 1u);
}

// B-N-16
TEST(HashedWheelTimerAsInNetty, RunsWhatATaskSchedulesInALaterTick) {
  ManualClock clock;
  RunLog log(clock);
  Timer timer(clock, netty());
  timer.schedule(150ms, [&] {
    for (const int delay : {0, 50, 100}) {
      timer.schedule(std::chrono::milliseconds(delay), log.task(delay));
    }
  });
  clock.run_for(1s);
  EXPECT_THAT(log.runs(), ElementsAre(Ran{0, 300ms}, Ran{50, 300ms}, Ran{100, 400ms}));
}

// B-N-16, C-13
TEST(HashedWheelTimer, RunsWhatATaskSchedulesInALaterTick) {
  ManualClock clock;
  RunLog log(clock);
  Timer timer(clock, kSmallWheel);
  timer.schedule(150ms, [&] {
    for (const int delay : {0, 50, 100, 800}) {
      timer.schedule(std::chrono::milliseconds(delay), log.task(delay));
    }
  });
  clock.run_for(2s);
  EXPECT_THAT(log.runs(),
              ElementsAre(Ran{0, 300ms}, Ran{50, 300ms}, Ran{100, 300ms}, Ran{800, 1000ms}));
}

// B-N-28, D-01
TEST(HashedWheelTimerAsInNetty, NeverRunsTheLongestDelays) {
  ManualClock clock;
  RunLog log(clock);
  Timer timer(clock, netty());
  timer.start();
  clock.run_for(1s);
  const std::vector<Timer::Timeout> timeouts = {
      timer.new_timeout(log.task(1), std::chrono::nanoseconds::max()),
      timer.new_timeout(log.task(2), std::chrono::milliseconds::max()),
      timer.new_timeout(log.task(3), std::chrono::seconds::max()),
      timer.new_timeout(log.task(4), std::chrono::hours::max())};
  clock.run_for(1s);
  EXPECT_THAT(log.runs(), IsEmpty());
  for (const auto& timeout : timeouts) EXPECT_TRUE(timeout.cancel());
}

// B-N-28, D-01, A-09
TEST(HashedWheelTimer, NeverRunsTheLongestDelay) {
  ManualClock clock(Instant(1s));
  RunLog log(clock);
  Timer timer(clock);
  const Timer::Timeout endless = timer.schedule(Duration::max(), log.task(1));
  clock.advance_to(Instant(Duration(std::int64_t{1} << 62)));
  clock.advance_to(Instant::max());
  EXPECT_THAT(log.runs(), IsEmpty());
  EXPECT_EQ(timer.pending(), 1u);
  EXPECT_TRUE(endless.cancel());
}

// B-N-28
TEST(HashedWheelTimerAsInNetty, RunsTheShortestDelaysInTheFirstTick) {
  ManualClock clock;
  RunLog log(clock);
  Timer timer(clock, netty());
  timer.new_timeout(log.task(1), std::chrono::milliseconds::min());
  timer.new_timeout(log.task(2), Duration::min());
  timer.new_timeout(log.task(3), 1500us);
  clock.run_for(1s);
  EXPECT_THAT(log.runs(), ElementsAre(Ran{1, 100ms}, Ran{2, 100ms}, Ran{3, 100ms}));
}

// B-N-29
TEST(HashedWheelTimerAsInNetty, BeginsItsFirstTickWithTheFirstTimer) {
  ManualClock clock(Instant(1037ms));
  RunLog log(clock);
  Timer timer(clock, netty());
  clock.advance_to(Instant(1050ms));
  timer.schedule(0ms, log.task(1));
  timer.schedule(100ms, log.task(2));
  clock.run_for(1s);
  EXPECT_THAT(log.runs(), ElementsAre(Ran{1, 1150ms}, Ran{2, 1250ms}));
}

// B-N-29, D-84
TEST(HashedWheelTimer, LivesBeforeTheYearZero) {
  ManualClock clock(Instant(-1'000'000s));
  RunLog log(clock);
  Timer timer(clock);
  timer.schedule(150ms, log.task(1));
  timer.schedule(Duration::max(), log.task(2));
  clock.run_for(1h);
  EXPECT_THAT(log.runs(), ElementsAre(Ran{1, -1'000'000s + 200ms}));
}

TEST(HashedWheelTimer, RunsTasksOnThreadsOfAnExecutor) {
  ManualClock clock;
  RunLog log(clock);
  PoolExecutor pool(clock, 2);
  Timer timer(clock, {.executor = &pool});
  timer.schedule(1s, log.task(1, [&] { clock.sleep_for(5s); }));
  timer.schedule(3s, log.task(3));
  clock.run_for(20s);
  EXPECT_THAT(log.runs(), ElementsAre(Ran{1, 1s}, Ran{3, 3s}));
}

class RefusingExecutor final : public Executor {
 public:
  void execute(TimerTask) override { throw RejectedTask("full"); }
};

// B-N-30
TEST(HashedWheelTimer, LosesATaskThatTheExecutorRefuses) {
  ManualClock clock;
  RunLog log(clock);
  RefusingExecutor executor;
  int errors = 0;
  Timer timer(clock,
              {.executor = &executor, .on_error = [&](const std::exception_ptr&) { ++errors; }});
  const Timer::Timeout lost = timer.schedule(50ms, log.task(1));
  clock.run_for(1s);
  EXPECT_EQ(errors, 1);
  EXPECT_TRUE(lost.is_expired());
  EXPECT_EQ(timer.cancel(lost), CancelResult::gone);
  EXPECT_EQ(timer.pending(), 0u);
  EXPECT_THAT(log.runs(), IsEmpty());
}

// B-N-30
TEST(HashedWheelTimer, ReportsWhatATaskThrowsOnAnExecutor) {
  ManualClock clock;
  InlineExecutor executor;
  int errors = 0;
  Timer timer(clock,
              {.executor = &executor, .on_error = [&](const std::exception_ptr&) { ++errors; }});
  const Timer::Timeout timeout = timer.schedule(50ms, [&] {
    EXPECT_THROW(timer.stop(), std::logic_error);
    throw 1;
  });
  clock.run_for(1s);
  EXPECT_EQ(errors, 1);
  EXPECT_EQ(timer.cancel(timeout), CancelResult::gone);
}

// B-N-30
TEST(HashedWheelTimer, MayBeGoneWhenWhatItHandedOverRuns) {
  ManualClock clock;
  RunLog log(clock);
  PoolExecutor pool(clock, 1);
  Timer::Timeout waits_in_pool;
  {
    Timer timer(clock, {.executor = &pool});
    timer.schedule(100ms, log.task(1, [&] { clock.sleep_for(1s); }));
    waits_in_pool = timer.schedule(100ms, log.task(2));
    clock.run_for(100ms);
    EXPECT_THAT(timer.stop(), IsEmpty());
  }
  EXPECT_TRUE(waits_in_pool.is_expired());
  clock.run_for(2s);
  EXPECT_THAT(log.runs(), ElementsAre(Ran{1, 100ms}, Ran{2, 1100ms}));
  EXPECT_FALSE(waits_in_pool.cancel());
}

// B-N-31
TEST(HashedWheelTimerAsInNetty, RunsAHundredThousandTimersInTime) {
  ManualClock clock;
  Timer timer(clock, netty(200ms));
  std::vector<Duration> ran_at;
  for (int i = 0; i < 100'000; ++i) {
    timer.schedule(125ms, [&] { ran_at.push_back(clock.now().time_since_epoch()); });
  }
  clock.run_for(1s);
  EXPECT_THAT(ran_at, SizeIs(100'000));
  EXPECT_GE(*std::min_element(ran_at.begin(), ran_at.end()), 125ms);
  EXPECT_LT(*std::max_element(ran_at.begin(), ran_at.end()), 650ms);
}

/// When a timer runs that sets itself again `times` times.
std::vector<Ran> runs_of_a_chain(Duration delay, int times) {
  ManualClock clock;
  RunLog log(clock);
  Timer timer(clock, netty(100ms, 32));
  std::function<void()> again = [&] {
    if (log.size() < static_cast<std::size_t>(times)) timer.schedule(delay, log.task(0, again));
  };
  again();
  clock.run_for((times + 1) * (delay + 100ms));
  return log.runs();
}

// D-02
TEST(HashedWheelTimerAsInNetty, SlipsByATickAndNoMoreInAChainOfTimers) {
  for (const Duration delay : {Duration(100ms), Duration(3200ms)}) {
    std::vector<Ran> expected;
    for (int i = 1; i <= 12; ++i) expected.push_back({0, i * (delay + 100ms)});
    EXPECT_EQ(runs_of_a_chain(delay, 12), expected);
  }
}

// D-03
TEST(HashedWheelTimerAsInNetty, DoesNotWaitATurnForANegativeDelay) {
  EXPECT_THAT(instants(netty(20ms, 512), 65, {-46}), ElementsAre(80));
}

// D-04
TEST(HashedWheelTimerAsInNetty, NeverMissesTheTickOfATimerThatComesMeanwhile) {
  ManualClock clock;
  Timer timer(clock, netty());
  std::vector<Duration> lateness;
  for (int ms = 0; ms < 1000; ++ms) {
    const Instant deadline = clock.now() + 200ms;
    for (int i = 0; i < 10; ++i) {
      timer.schedule(200ms, [&, deadline] { lateness.push_back(clock.now() - deadline); });
    }
    clock.run_for(1ms);
  }
  clock.run_for(300ms);
  EXPECT_THAT(lateness, SizeIs(10'000));
  EXPECT_THAT(lateness, Each(AllOf(Gt(0ms), Le(100ms))));
}

// D-05, D-06
TEST(HashedWheelTimerAsInNetty, WakesOnceATick) {
  ManualClock clock;
  Timer timer(clock, netty(1ms));
  timer.start();
  clock.settle();
  const std::size_t before = clock.wakes();
  clock.run_for(100ms);
  EXPECT_EQ(clock.wakes(), before + 100);
}

// D-05
TEST(HashedWheelTimer, WakesOnlyForTicksInWhichATimerIsDue) {
  ManualClock clock;
  Timer timer(clock, {.tick_duration = 1ms});
  timer.schedule(200ms, do_nothing);
  timer.schedule(840ms, do_nothing);
  clock.settle();
  const std::size_t before = clock.wakes();
  clock.run_for(1s);
  EXPECT_EQ(clock.wakes(), before + 2);
  EXPECT_EQ(timer.pending(), 0u);
}

TEST(HashedWheelTimer, DoesNotWakeInTheTurnsBeforeATimerIsDue) {
  ManualClock clock;
  Timer timer(clock, kSmallWheel);
  timer.schedule(1h, do_nothing);
  clock.settle();
  const std::size_t before = clock.wakes();
  clock.run_for(2h);
  EXPECT_EQ(clock.wakes(), before + 1);
  EXPECT_EQ(timer.pending(), 0u);
}

TEST(HashedWheelTimer, DoesNotWakeForABucketOfWhichAllWereCancelled) {
  ManualClock clock;
  Timer timer(clock);
  timer.schedule(200ms, do_nothing);
  const auto first = timer.schedule(500ms, do_nothing);
  const auto second = timer.schedule(500ms, do_nothing);
  clock.settle();
  EXPECT_TRUE(first.cancel() && second.cancel());
  const std::size_t before = clock.wakes();
  clock.run_for(1s);
  EXPECT_EQ(clock.wakes(), before + 1);
  EXPECT_EQ(timer.pending(), 0u);
}

// C-08
TEST(HashedWheelTimer, WakesNowAndThenForAMillionLaterTimers) {
  constexpr std::size_t kTimers = conformance::share_of(std::size_t{1'000'000});
  ManualClock clock;
  Timer timer(clock);
  timer.schedule(1s, do_nothing);
  clock.settle();
  const std::size_t before = clock.wakes();
  for (std::size_t i = 0; i < kTimers; ++i) timer.schedule(1h + i * 1ms, do_nothing);
  clock.settle();
  EXPECT_GT(clock.wakes(), before);
  EXPECT_LT(clock.wakes(), before + 100);
  EXPECT_EQ(timer.pending(), kTimers + 1);
}

TEST(HashedWheelTimer, DoesNotWakeForATimerOfItsNextTick) {
  ManualClock clock;
  Timer timer(clock);
  timer.schedule(50ms, do_nothing);
  clock.settle();
  const std::size_t before = clock.wakes();
  for (int i = 0; i < 1000; ++i) timer.schedule(1ns, do_nothing);
  clock.settle();
  EXPECT_EQ(clock.wakes(), before);
  clock.run_for(100ms);
  EXPECT_EQ(timer.pending(), 0u);
}

// D-15
TEST(HashedWheelTimer, DoesNotOverlookAShortDelayBehindALongOneInItsBucket) {
  EXPECT_THAT(instants(netty(), 0, {850, 50}), ElementsAre(900, 100));
  EXPECT_THAT(instants(kSmallWheel, 0, {850, 50}), ElementsAre(900, 100));
}

/// A task (number 1) begins at 100 ms and sleeps for `span`. At `now`, timers with these delays are
/// scheduled (numbers 2 and on). Returns when all of them run.
std::vector<Ran> runs_behind_a_sleeper(const Options& options, Duration span, Instant now,
                                       const std::vector<Duration>& delays) {
  ManualClock clock;
  RunLog log(clock);
  Timer timer(clock, options);
  timer.schedule(50ms, log.task(1, [&] { clock.sleep_for(span); }));
  clock.run_until(now);
  int id = 1;
  for (const Duration delay : delays) timer.schedule(delay, log.task(++id));
  clock.run_for(10s);
  return log.runs();
}

// D-18
TEST(HashedWheelTimer, RunsLateTimersInTheOrderOfTheirComing) {
  for (const Options& options : {kSmallWheel, netty()}) {
    EXPECT_THAT(runs_behind_a_sleeper(options, 550ms, Instant(120ms), {30ms, 30ms}),
                ElementsAre(Ran{1, 100ms}, Ran{2, 650ms}, Ran{3, 650ms}));
  }
}

// C-27
TEST(HashedWheelTimer, LetsTimersWaitTheirFullDelayThoughTheWorkerIsLate) {
  for (const Options& options : {kSmallWheel, netty()}) {
    EXPECT_THAT(runs_behind_a_sleeper(options, 5s, Instant(5050ms), {0ms, 201ms}),
                ElementsAre(Ran{1, 100ms}, Ran{2, 5100ms}, Ran{3, 5300ms}));
  }
}

// D-19
TEST(HashedWheelTimer, RefusesAnAbsurdWheelAtOnce) {
  ManualClock clock;
  EXPECT_THAT(Attempt([&] { Timer(clock, {.ticks_per_wheel = std::size_t{1} << 30}); }),
              ThrowsMessage<std::invalid_argument>(HasSubstr("and not 1073741824")));
  EXPECT_THROW(Timer(clock, {.ticks_per_wheel = static_cast<std::size_t>(-1)}),
               std::invalid_argument);
  EXPECT_EQ(Timer(clock, {.ticks_per_wheel = (1 << 20) - 1}).ticks_per_wheel(), 1u << 20);
}

TEST(HashedWheelTimer, WarnsOfTheSixtyFifthInstance) {
  ManualClock clock;
  std::vector<std::string> warnings;
  const auto note = [&](std::string_view warning) { warnings.emplace_back(warning); };
  std::vector<std::unique_ptr<Timer>> instances;
  for (int i = 0; i < 64; ++i) {
    instances.push_back(std::make_unique<Timer>(clock, Options{.on_warning = note}));
  }
  EXPECT_THAT(warnings, IsEmpty());
  instances.push_back(std::make_unique<Timer>(clock, Options{.on_warning = note}));
  EXPECT_THAT(warnings, ElementsAre(HasSubstr("more than 64")));
  instances.push_back(std::make_unique<Timer>(clock, Options{.on_warning = note}));
  EXPECT_THAT(warnings, SizeIs(1));
}

// C-13
TEST(HashedWheelTimer, LosesNoTimerThatComesWhileItRunsATick) {
  constexpr int kProducers = 4;
  constexpr int kTimers = 5000;
  for (const Options& options : {Options{.tick_duration = 1ms}, netty(1ms, 512)}) {
    ManualClock clock;
    Timer timer(clock, options);
    timer.start();
    std::atomic<int> runs = 0;
    {
      std::vector<std::jthread> producers;
      for (int i = 0; i < kProducers; ++i) {
        producers.emplace_back([&] {
          for (int k = 0; k < kTimers; ++k) timer.schedule(k % 3 * 1ms, [&] { ++runs; });
        });
      }
      for (int ms = 0; ms < 100; ++ms) clock.run_for(1ms);
    }
    clock.run_for(5ms);
    EXPECT_EQ(runs, kProducers * kTimers);
    EXPECT_EQ(timer.pending(), 0u);
  }
}

}  // namespace
}  // namespace timers
