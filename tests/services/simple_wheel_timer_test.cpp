/// What the simple wheel does beyond the contract of all services: which timers a tick runs, and
/// how it counts turns.

#include "impls/services/simple_wheel_timer.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <stdexcept>
#include <vector>

#include "impls/clocks/clock.hpp"
#include "tests/services/attempt.hpp"
#include "tests/services/run_log.hpp"

namespace timers {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using testing::ThrowsMessage;

static_assert(TimerService<SimpleWheelTimer<ManualClock>>);
static_assert(TimerService<SimpleWheelTimer<SteadyClock>>);

const SimpleWheelTimerOptions kTenSeconds = {.tick_duration = 1s, .buckets = 10};

//
TEST(SimpleWheelTimer, RunsEveryDelayOnTimeFromEveryBucket) {
  ManualClock clock;
  RunLog log(clock);
  SimpleWheelTimer timer(clock, kTenSeconds);
  constexpr int kDelays = 36;
  constexpr int kHands = 13;
  for (int hand = 0; hand < kHands; ++hand) {
    for (int delay = 0; delay < kDelays; ++delay) {
      timer.schedule(std::chrono::seconds(delay), log.task(hand * kDelays + delay));
    }
    clock.run_for(1s);
  }
  clock.run_for(1min);
  ASSERT_THAT(log.runs(), SizeIs(kHands * kDelays));
  for (const Ran& run : log.runs()) {
    const int delay = run.id % kDelays;
    const int hand = run.id / kDelays;
    EXPECT_EQ(run.at, std::chrono::seconds(hand + std::max(delay, 1))) << delay << " at " << hand;
  }
}

//
TEST(SimpleWheelTimer, RoundsADeadlineBetweenTicksUp) {
  ManualClock clock;
  RunLog log(clock);
  SimpleWheelTimer timer(clock, kTenSeconds);
  clock.run_for(2s + 1ns);
  timer.schedule(0s, log.task(0));
  timer.schedule(1s - 1ns, log.task(1));
  timer.schedule(1s, log.task(2));
  timer.schedule(10s, log.task(3));
  timer.schedule(-5s, log.task(4));
  clock.run_for(1min);
  EXPECT_THAT(log.runs(), ElementsAre(Ran{0, 3s}, Ran{1, 3s}, Ran{4, 3s}, Ran{2, 4s}, Ran{3, 13s}));
}

// A-17, D-84
TEST(SimpleWheelTimer, CountsTicksFromItsStart) {
  ManualClock clock(Instant(-1'000'000'000'000'007ns));
  const Instant start = clock.now();
  SimpleWheelTimer timer(clock, kTenSeconds);
  std::vector<Duration> runs;
  for (const Duration delay : {Duration(3s), Duration(12s), Duration(500ms)}) {
    timer.schedule(delay, [&] { runs.push_back(clock.now() - start); });
  }
  clock.run_for(20s);
  EXPECT_THAT(runs, ElementsAre(1s, 3s, 12s));
}

//
TEST(SimpleWheelTimer, RunsEachTickOfAJump) {
  ManualClock clock;
  RunLog log(clock);
  SimpleWheelTimer timer(clock, kTenSeconds);
  for (const int delay : {25, 13, 3, 1, 20, 10}) {
    timer.schedule(std::chrono::seconds(delay), log.task(delay));
  }
  clock.advance_to(Instant(24s));
  EXPECT_THAT(log.runs(),
              ElementsAre(Ran{1, 24s}, Ran{3, 24s}, Ran{10, 24s}, Ran{13, 24s}, Ran{20, 24s}));
  EXPECT_EQ(timer.pending(), 1u);
}

//
TEST(SimpleWheelTimer, RunsWhatIsDueInATickInTheOrderOfItsComing) {
  ManualClock clock;
  RunLog log(clock);
  SimpleWheelTimer timer(clock, kTenSeconds);
  timer.schedule(13s, log.task(1));
  timer.schedule(3s, log.task(2));
  timer.schedule(12'500ms, log.task(3));
  clock.run_for(5s);
  timer.schedule(8s, log.task(4));
  clock.run_for(10s);
  EXPECT_THAT(log.runs(), ElementsAre(Ran{2, 3s}, Ran{1, 13s}, Ran{3, 13s}, Ran{4, 13s}));
}

//
TEST(SimpleWheelTimer, NeverRunsInATickWhatWasSetInIt) {
  ManualClock clock;
  RunLog log(clock);
  SimpleWheelTimer timer(clock, kTenSeconds);
  timer.schedule(5s, log.task(0, [&] {
    timer.schedule(0s, log.task(1));
    timer.schedule(9s, log.task(2));
    timer.schedule(10s, log.task(3));
    timer.schedule(11s, log.task(4));
  }));
  clock.run_for(1min);
  EXPECT_THAT(log.runs(),
              ElementsAre(Ran{0, 5s}, Ran{1, 6s}, Ran{2, 14s}, Ran{3, 15s}, Ran{4, 16s}));
}

//
TEST(SimpleWheelTimer, CancelsATimerThatIsDueInTheSameTick) {
  ManualClock clock;
  RunLog log(clock);
  SimpleWheelTimer timer(clock, kTenSeconds);
  SimpleWheelTimer<ManualClock>::Handle first;
  SimpleWheelTimer<ManualClock>::Handle third;
  std::vector<CancelResult> results;
  first = timer.schedule(3s, log.task(1));
  timer.schedule(3s, log.task(2, [&] {
    results.push_back(timer.cancel(first));
    results.push_back(timer.cancel(third));
    results.push_back(timer.cancel(third));
    EXPECT_EQ(timer.pending(), 1u);
  }));
  third = timer.schedule(3s, log.task(3));
  timer.schedule(3s, log.task(4));
  clock.run_for(1min);
  EXPECT_THAT(results,
              ElementsAre(CancelResult::gone, CancelResult::cancelled, CancelResult::gone));
  EXPECT_THAT(log.runs(), ElementsAre(Ran{1, 3s}, Ran{2, 3s}, Ran{4, 3s}));
  EXPECT_EQ(timer.pending(), 0u);
}

//
TEST(SimpleWheelTimer, CountsWhatWaitsAndNotWhatRuns) {
  ManualClock clock;
  RunLog log(clock);
  SimpleWheelTimer timer(clock, kTenSeconds);
  std::vector<std::size_t> counts;
  for (int id = 0; id < 3; ++id) {
    timer.schedule(1s, log.task(id, [&] { counts.push_back(timer.pending()); }));
  }
  EXPECT_EQ(timer.pending(), 3u);
  clock.run_for(1s);
  EXPECT_THAT(counts, ElementsAre(2u, 1u, 0u));
}

TEST(SimpleWheelTimer, ReturnsAtAStopTheRestOfTheTick) {
  ManualClock clock;
  RunLog log(clock);
  SimpleWheelTimer timer(clock, kTenSeconds);
  timer.schedule(3s, log.task(1, [&] { clock.sleep_for(1min); }));
  timer.schedule(3s, log.task(2));
  timer.schedule(13s, log.task(3));
  timer.cancel(timer.schedule(3s, log.task(4)));
  clock.run_for(3s);
  std::optional<std::vector<TimerTask>> never_ran;
  ManualClock::Thread stopper(clock, [&] { never_ran = timer.stop(); });
  clock.run_for(59s);
  EXPECT_FALSE(never_ran) << "stopped before the running task had ended";
  EXPECT_THROW(timer.schedule(1s, log.task(5)), RejectedTask);
  clock.run_for(1s);
  stopper.join();
  EXPECT_THAT(log.runs(), ElementsAre(Ran{1, 3s}));
  ASSERT_TRUE(never_ran);
  EXPECT_EQ(timer.pending(), 0u);
  for (TimerTask& task : *never_ran) task();
  EXPECT_THAT(log.runs(), ElementsAre(Ran{1, 3s}, Ran{2, 63s}, Ran{3, 63s}));
  EXPECT_THAT(timer.stop(), IsEmpty());
}

//
TEST(SimpleWheelTimer, LeavesHandlesThatOutliveIt) {
  ManualClock clock;
  auto held = std::make_shared<int>();
  SimpleWheelTimer<ManualClock>::Handle handle;
  {
    SimpleWheelTimer timer(clock, kTenSeconds);
    handle = timer.schedule(1s, [held] {});
  }
  EXPECT_EQ(held.use_count(), 1);
  SimpleWheelTimer another(clock, kTenSeconds);
  EXPECT_EQ(another.cancel(handle), CancelResult::gone);
}

TEST(SimpleWheelTimer, WakesAtEachTick) {
  ManualClock clock;
  SimpleWheelTimer timer(clock, kTenSeconds);
  clock.settle();
  const std::size_t wakes = clock.wakes();
  clock.run_for(100s);
  EXPECT_EQ(clock.wakes() - wakes, 100u);
}

TEST(SimpleWheelTimer, MayHaveASingleBucket) {
  ManualClock clock;
  RunLog log(clock);
  SimpleWheelTimer timer(clock, {.tick_duration = 1ms, .buckets = 1});
  for (int id = 5; id > 0; --id) timer.schedule(std::chrono::milliseconds(id), log.task(id));
  clock.run_for(10ms);
  EXPECT_THAT(log.runs(),
              ElementsAre(Ran{1, 1ms}, Ran{2, 2ms}, Ran{3, 3ms}, Ran{4, 4ms}, Ran{5, 5ms}));
}

TEST(SimpleWheelTimer, RefusesAWheelThatCannotTurn) {
  ManualClock clock;
  EXPECT_THAT(Attempt([&] { SimpleWheelTimer timer(clock, {.tick_duration = 0ns}); }),
              ThrowsMessage<std::invalid_argument>(HasSubstr("at least 1 ns, and is 0 ns")));
  EXPECT_THAT(Attempt([&] { SimpleWheelTimer timer(clock, {.buckets = 0}); }),
              ThrowsMessage<std::invalid_argument>(HasSubstr("at least 1 bucket")));
}

}  // namespace
}  // namespace timers
