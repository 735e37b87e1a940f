/// What HashedWheelTimer counts as pending, cancels, returns from `stop`, and keeps of timers that
/// are over: the same as Netty's, and where its defaults differ.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <memory>
#include <thread>
#include <vector>

#include "impls/clocks/clock.hpp"
#include "impls/services/hashed_wheel_timer.hpp"
#include "tests/conformance/allocations.hpp"
#include "tests/conformance/sanitizers.hpp"
#include "tests/services/attempt.hpp"
#include "tests/services/hashed_wheels.hpp"
#include "tests/services/run_log.hpp"

namespace timers {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using testing::ThrowsMessage;

using Timer = HashedWheelTimer<ManualClock>;
using Options = HashedWheelTimerOptions;

void do_nothing() {}

// B-N-17
TEST(HashedWheelTimer, CancelsATimerOnceAndNotAfterItsRun) {
  ManualClock clock;
  RunLog log(clock);
  Timer timer(clock);
  const Timer::Timeout cancelled = timer.schedule(50ms, log.task(1));
  const Timer::Timeout expired = timer.schedule(50ms, log.task(2));
  EXPECT_FALSE(cancelled.is_cancelled() || cancelled.is_expired());
  EXPECT_TRUE(cancelled.cancel());
  EXPECT_FALSE(cancelled.cancel());
  clock.run_for(1s);
  EXPECT_FALSE(expired.cancel());
  EXPECT_TRUE(cancelled.is_cancelled() && !cancelled.is_expired());
  EXPECT_TRUE(expired.is_expired() && !expired.is_cancelled());
  EXPECT_EQ(expired.timer(), &timer);
  EXPECT_THAT(log.runs(), ElementsAre(Ran{2, 100ms}));
}

TEST(HashedWheelTimer, HasAHandleOfATimerThatNeverWas) {
  const Timer::Timeout none;
  EXPECT_FALSE(none.cancel() || none.is_cancelled() || none.is_expired());
  EXPECT_EQ(none.timer(), nullptr);
  EXPECT_EQ(none, Timer::Timeout());
}

TEST(HashedWheelTimer, TellsARunningTimerFromOneThatRan) {
  ManualClock clock;
  Timer timer(clock);
  const Timer::Timeout timeout = timer.schedule(50ms, [&] { clock.sleep_for(1s); });
  clock.run_for(100ms);
  EXPECT_TRUE(timeout.is_expired());
  EXPECT_EQ(timer.cancel(timeout), CancelResult::running);
  clock.run_for(1s);
  EXPECT_EQ(timer.cancel(timeout), CancelResult::gone);
}

// B-N-18
TEST(HashedWheelTimerAsInNetty, CountsACancelledTimerUntilTheNextTick) {
  ManualClock clock;
  Timer timer(clock, netty());
  timer.schedule(1s, do_nothing);
  timer.schedule(1s, do_nothing);
  EXPECT_TRUE(timer.schedule(1s, do_nothing).cancel());
  EXPECT_EQ(timer.pending_timeouts(), 3u);
  clock.advance_to(Instant(99ms));
  EXPECT_EQ(timer.pending_timeouts(), 3u);
  clock.advance_to(Instant(100ms));
  EXPECT_EQ(timer.pending_timeouts(), 2u);
}

//
TEST(HashedWheelTimer, CountsACancelledTimerNoMore) {
  ManualClock clock;
  Timer timer(clock);
  const Timer::Timeout timeout = timer.schedule(1s, do_nothing);
  timer.schedule(1s, do_nothing);
  EXPECT_TRUE(timeout.cancel());
  EXPECT_EQ(timer.pending(), 1u);
  clock.run_for(500ms);
  EXPECT_EQ(timer.pending(), 1u);
  clock.run_for(500ms);
  EXPECT_EQ(timer.pending(), 0u);
}

// B-N-19
TEST(HashedWheelTimerAsInNetty, LetsATaskCancelAnotherOfItsTick) {
  ManualClock clock;
  RunLog log(clock);
  Timer timer(clock, netty());
  Timer::Timeout sibling;
  bool was_in_time = false;
  timer.schedule(50ms, log.task(1, [&] { was_in_time = sibling.cancel(); }));
  sibling = timer.schedule(50ms, log.task(2));
  timer.schedule(50ms, log.task(3));
  clock.run_until(Instant(100ms));
  EXPECT_TRUE(was_in_time);
  EXPECT_THAT(log.runs(), ElementsAre(Ran{1, 100ms}, Ran{3, 100ms}));
  EXPECT_EQ(timer.pending(), 0u);
}

// B-N-21
TEST(HashedWheelTimerAsInNetty, HasNoRoomForAnotherTimerBeforeTheCancelledOneIsOut) {
  ManualClock clock;
  Options options = netty();
  options.max_pending_timeouts = 2;
  Timer timer(clock, options);
  const Timer::Timeout first = timer.schedule(1s, do_nothing);
  timer.schedule(1s, do_nothing);
  EXPECT_TRUE(first.cancel());
  EXPECT_THROW(timer.schedule(1s, do_nothing), RejectedTask);
  clock.run_until(Instant(100ms));
  EXPECT_NO_THROW(timer.schedule(1s, do_nothing));
}

// B-N-21
TEST(HashedWheelTimer, HasRoomForAnotherTimerWhenOneIsCancelled) {
  ManualClock clock;
  Timer timer(clock, {.max_pending_timeouts = 2});
  const Timer::Timeout first = timer.schedule(1s, do_nothing);
  timer.schedule(1s, do_nothing);
  EXPECT_TRUE(first.cancel());
  EXPECT_NO_THROW(timer.schedule(1s, do_nothing));
  EXPECT_EQ(timer.pending(), 2u);
}

// B-N-22, D-12
TEST(HashedWheelTimer, TakesAnotherTimerFromATaskAtTheLimit) {
  ManualClock clock;
  RunLog log(clock);
  Options options = netty();
  options.max_pending_timeouts = 1;
  Timer timer(clock, options);
  timer.schedule(50ms, log.task(1, [&] { timer.schedule(50ms, log.task(2)); }));
  clock.run_for(1s);
  EXPECT_THAT(log.runs(), ElementsAre(Ran{1, 100ms}, Ran{2, 200ms}));
}

// B-N-23, D-13
TEST(HashedWheelTimerAsInNetty, ReturnsWhatNeverRanAndCountsItStill) {
  ManualClock clock;
  RunLog log(clock);
  Timer timer(clock, netty());
  std::vector<Timer::Timeout> timeouts;
  for (int i = 0; i < 4; ++i) timeouts.push_back(timer.schedule(1s, log.task(i)));
  timeouts[3].cancel();
  std::vector<TimerTask> never_ran = timer.stop();
  EXPECT_THAT(never_ran, SizeIs(3));
  EXPECT_EQ(timer.pending_timeouts(), 3u);
  for (const auto& timeout : timeouts) EXPECT_TRUE(timeout.is_cancelled());
  EXPECT_THAT(log.runs(), IsEmpty());
  for (TimerTask& task : never_ran) task();
  EXPECT_THAT(log.runs(), testing::UnorderedElementsAre(Ran{0, 0ns}, Ran{1, 0ns}, Ran{2, 0ns}));
}

// B-N-23, D-13, A-82
TEST(HashedWheelTimer, ReturnsWhatNeverRanFromItsBucketsAndItsInbox) {
  ManualClock clock;
  Timer timer(clock);
  std::vector<Timer::Timeout> timeouts;
  for (int i = 0; i < 3; ++i) timeouts.push_back(timer.schedule(1s, do_nothing));
  timeouts[0].cancel();
  clock.settle();
  for (int i = 0; i < 3; ++i) timeouts.push_back(timer.schedule(1h, do_nothing));
  timeouts[1].cancel();
  timeouts[3].cancel();
  EXPECT_THAT(timer.stop(), SizeIs(3));
  EXPECT_EQ(timer.pending(), 0u);
  for (const auto& timeout : timeouts) {
    EXPECT_TRUE(timeout.is_cancelled());
    EXPECT_FALSE(timeout.cancel());
  }
}

// B-N-24, D-16
TEST(HashedWheelTimerAsInNetty, TakesNothingAfterStopAndCountsNothing) {
  ManualClock clock;
  Timer timer(clock, netty());
  for (int i = 0; i < 3; ++i) timer.schedule(1s, do_nothing);
  timer.stop();
  EXPECT_THAT(Attempt([&] { timer.schedule(1s, do_nothing); }),
              ThrowsMessage<RejectedTask>(HasSubstr("was stopped")));
  EXPECT_EQ(timer.pending_timeouts(), 3u);
}

// B-N-25
TEST(HashedWheelTimer, DoesNotStartWhenItWasStoppedBefore) {
  ManualClock clock;
  Timer timer(clock);
  EXPECT_THAT(timer.stop(), IsEmpty());
  EXPECT_THROW(timer.start(), RejectedTask);
  EXPECT_THROW(timer.schedule(1s, do_nothing), RejectedTask);
  EXPECT_EQ(timer.pending(), 0u);
}

TEST(HashedWheelTimer, LetsTheRunningTaskEndAndReturnsTheRestOfItsTick) {
  ManualClock clock;
  RunLog log(clock);
  Timer timer(clock);
  timer.schedule(100ms, log.task(1, [&] { clock.sleep_for(1s); }));
  timer.schedule(100ms, log.task(2));
  clock.run_for(100ms);
  std::vector<TimerTask> never_ran;
  std::jthread stopper([&] { never_ran = timer.stop(); });
  const auto is_stopped = [&] {
    try {
      timer.schedule(0ms, do_nothing).cancel();
      return false;
    } catch (const RejectedTask&) {
      return true;
    }
  };
  while (!is_stopped()) std::this_thread::yield();
  clock.run_for(1s);
  stopper.join();
  EXPECT_THAT(log.runs(), ElementsAre(Ran{1, 100ms}));
  EXPECT_THAT(never_ran, SizeIs(1));
}

// D-10, A-101
TEST(HashedWheelTimerAsInNetty, KeepsNothingOfCancelledTimersBeyondATick) {
  ManualClock clock;
  Timer timer(clock, netty());
  timer.start();
  clock.run_for(100ms);
  const auto before = conformance::live_bytes_of_all_threads();
  for (int i = 0; i < conformance::share_of(200'000); ++i) timer.schedule(1h, do_nothing).cancel();
  clock.run_for(1s);
  EXPECT_EQ(timer.pending(), 0u);
  EXPECT_LT(conformance::live_bytes_of_all_threads() - before, 1000);
}

// D-10, A-101
TEST(HashedWheelTimer, KeepsLittleOfCancelledTimersThoughItSleeps) {
  ManualClock clock;
  Timer timer(clock);
  timer.start();
  clock.settle();
  const auto before = conformance::live_bytes_of_all_threads();
  for (int i = 0; i < conformance::share_of(200'000); ++i) timer.schedule(1h, do_nothing).cancel();
  clock.settle();
  EXPECT_LT(conformance::live_bytes_of_all_threads() - before, 16'384 * 150);
}

// D-10
TEST(HashedWheelTimer, KeepsLittleOfTimersThatAreAllCancelledAtOnce) {
  ManualClock clock;
  Timer timer(clock);
  timer.start();
  clock.settle();
  constexpr std::size_t kTimers = conformance::share_of(std::size_t{200'000});
  std::vector<Timer::Timeout> timeouts(kTimers);
  const auto before = conformance::live_bytes_of_all_threads();
  for (auto& timeout : timeouts) timeout = timer.schedule(1h, do_nothing);
  clock.settle();
  EXPECT_GT(conformance::live_bytes_of_all_threads() - before, kTimers * 80);
  for (auto& timeout : timeouts) {
    timeout.cancel();
    timeout = {};
  }
  clock.settle();
  EXPECT_LT(conformance::live_bytes_of_all_threads() - before, 16'384 * 150);
}

TEST(HashedWheelTimer, AllocatesNothingToCancel) {
  ManualClock clock;
  Timer timer(clock);
  timer.start();
  clock.settle();
  const conformance::AllocationMeter meter;
  const Timer::Timeout timeout = timer.schedule(1s, do_nothing);
  const std::uint64_t to_schedule = meter.allocations();
  EXPECT_TRUE(timeout.cancel());
  EXPECT_EQ(meter.allocations(), to_schedule);
}

// D-14
TEST(HashedWheelTimer, CountsTimersOnceThatAreCancelledInTheirTick) {
  for (const Options& options : {kSmallWheel, netty()}) {
    ManualClock clock;
    RunLog log(clock);
    Timer timer(clock, options);
    timer.schedule(150ms, log.task(1, [&] { clock.sleep_for(50ms); }));
    std::vector<Timer::Timeout> others;
    for (int i = 0; i < 10; ++i) others.push_back(timer.schedule(150ms, log.task(2)));
    clock.run_until(Instant(200ms));
    for (const auto& other : others) EXPECT_TRUE(other.cancel());
    clock.run_for(1s);
    EXPECT_THAT(log.runs(), ElementsAre(Ran{1, 200ms}));
    EXPECT_EQ(timer.pending(), 0u);
  }
}

TEST(HashedWheelTimer, MayBeGoneWhenATimerIsCancelled) {
  ManualClock clock;
  Timer::Timeout timeout;
  {
    Timer timer(clock);
    timeout = timer.schedule(1s, do_nothing);
  }
  EXPECT_FALSE(timeout.cancel());
  EXPECT_TRUE(timeout.is_cancelled());
}

TEST(HashedWheelTimer, MayBeDestroyedWhileItsTimersAreCancelled) {
  constexpr std::size_t kTimers = 100;
  for (int round = 0; round < 300; ++round) {
    ManualClock clock;
    auto timer = std::make_unique<Timer>(clock);
    std::vector<Timer::Timeout> timeouts;
    for (std::size_t i = 0; i < kTimers; ++i) timeouts.push_back(timer->schedule(1h, do_nothing));
    std::atomic<std::size_t> cancelled = 0;
    std::jthread canceller([&] {
      for (const auto& timeout : timeouts) cancelled += timeout.cancel() ? 1 : 0;
    });
    const std::size_t never_ran = timer->stop().size();
    EXPECT_EQ(timer->pending(), 0u);
    timer.reset();
    canceller.join();
    EXPECT_EQ(never_ran + cancelled, kTimers);
  }
}

}  // namespace
}  // namespace timers
