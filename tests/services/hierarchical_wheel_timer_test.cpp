#include "impls/services/hierarchical_wheel_timer.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <new>
#include <optional>
#include <random>
#include <stdexcept>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "impls/clocks/clock.hpp"
#include "impls/services/parts/executor.hpp"
#include "impls/timer_service.hpp"
#include "tests/conformance/allocations.hpp"
#include "tests/services/run_log.hpp"
#include "tests/services/scarce_clock.hpp"

namespace timers {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using namespace std::chrono_literals;

using Timer = HierarchicalWheelTimer<ManualClock>;
using Options = Timer::Options;

static_assert(TimerService<Timer>);
static_assert(TimerService<HierarchicalWheelTimer<SteadyClock>>);

Instant at(Duration since_epoch) { return Instant(since_epoch); }

/// A timer whose tasks run on its reaper.
struct ByReaper {
  explicit ByReaper(Options options = {}, Duration start = 0ms)
      : clock(at(start)), timer(clock, with_executor(std::move(options), &executor)) {
    clock.settle();
  }

  static Options with_executor(Options options, Executor* executor) {
    options.executor = executor;
    return options;
  }

  Timer::Handle in(int id, Duration delay) { return timer.schedule(delay, log.task(id)); }

  ManualClock clock;
  RunLog log{clock};
  InlineExecutor executor;
  Timer timer;
};

/// A timer without a reaper, whose tasks run on the thread of the test.
struct ByHand {
  explicit ByHand(Options options = {}, Duration start = 0ms)
      : clock(at(start)), timer(clock, without_reaper(std::move(options), &executor)) {}

  static Options without_reaper(Options options, Executor* executor) {
    options.reaper = false;
    options.executor = executor;
    return options;
  }

  Timer::Handle in(int id, Duration delay) { return timer.schedule(delay, log.task(id)); }

  bool advance(Duration to) {
    clock.advance_to(at(to));
    return timer.advance_clock(0ms);
  }

  ManualClock clock;
  RunLog log{clock};
  InlineExecutor executor;
  Timer timer;
};

/// Keeps the tasks until the test runs them.
class PatientExecutor final : public Executor {
 public:
  void execute(TimerTask task) override { tasks_.push_back(std::move(task)); }

  void run_all() {
    for (TimerTask& task : std::exchange(tasks_, {})) task();
  }

 private:
  std::deque<TimerTask> tasks_;
};

class RefusingExecutor final : public Executor {
 public:
  void execute(TimerTask) override {
    throw RejectedTask("an executor with room for 0 tasks is full");
  }
};

/// When a timer of each delay runs, if time moves in steps of 1 ms.
std::vector<Duration> runs_of(const Options& options, Duration start,
                              const std::vector<Duration>& delays) {
  std::vector<Duration> runs;
  for (const Duration delay : delays) {
    ByHand by_hand(options, start);
    by_hand.in(0, delay);
    for (Duration now = start; by_hand.log.size() == 0 && now < start + 2000ms; now += 1ms) {
      by_hand.advance(now);
    }
    runs.push_back(by_hand.log.size() == 0 ? Duration::max() : by_hand.log.runs().front().at);
  }
  return runs;
}

Options with_wheel(Options options, Duration tick_duration, std::size_t wheel_size) {
  options.tick_duration = tick_duration;
  options.wheel_size = wheel_size;
  return options;
}

// ---- When a timer runs ------------------------------------------------------------------------

// B-K-02
TEST(HierarchicalWheelTimer, StartsAtAWholeTick) {
  const Options in_tens = with_wheel(Timer::as_in_kafka(), 10ms, 20);
  EXPECT_THAT(runs_of(in_tens, 1007ms, {2ms, 3ms}), ElementsAre(1007ms, 1010ms));
  const Options in_sevens = with_wheel(Timer::as_in_kafka(), 7ms, 5);
  EXPECT_THAT(runs_of(in_sevens, 12'345ms, {2ms, 3ms}), ElementsAre(12'345ms, 12'348ms));
}

// B-K-03, B-K-04
TEST(HierarchicalWheelTimer, RunsUpToATickEarlyAsInKafka) {
  const Options options = with_wheel(Timer::as_in_kafka(), 10ms, 20);
  EXPECT_THAT(runs_of(options, 0ms, {1ms, 9ms, 10ms, 11ms, 19ms, 25ms, 199ms, 209ms, 250ms}),
              ElementsAre(0ms, 0ms, 10ms, 10ms, 10ms, 20ms, 190ms, 200ms, 250ms));
}

// B-K-04
TEST(HierarchicalWheelTimer, RunsUpToATickLateByDefault) {
  const Options options = with_wheel({}, 10ms, 20);
  EXPECT_THAT(runs_of(options, 0ms, {1ms, 9ms, 10ms, 11ms, 19ms, 25ms, 199ms, 209ms, 250ms}),
              ElementsAre(10ms, 10ms, 10ms, 20ms, 20ms, 30ms, 200ms, 210ms, 250ms));
}

// B-K-04
TEST(HierarchicalWheelTimer, IsExactIfItsTickIs) {
  for (const Options& options : {Options(), Timer::as_in_kafka()}) {
    EXPECT_THAT(runs_of(options, 3ms, {1ms, 19ms, 20ms, 21ms, 399ms, 400ms, 401ms}),
                ElementsAre(4ms, 22ms, 23ms, 24ms, 402ms, 403ms, 404ms));
  }
}

// B-K-05
TEST(HierarchicalWheelTimer, RunsWithTicksOf7FromAStartAt12345AsInKafka) {
  const Options options = with_wheel(Timer::as_in_kafka(), 7ms, 5);
  const auto runs = [&](const std::vector<Duration>& delays) {
    return runs_of(options, 12'345ms, delays);
  };
  EXPECT_THAT(runs({0ms, 1ms, 2ms}), ElementsAre(12'345ms, 12'345ms, 12'345ms));
  EXPECT_THAT(runs({3ms, 4ms}), ElementsAre(12'348ms, 12'348ms));
  EXPECT_THAT(runs({10ms, 30ms}), ElementsAre(12'355ms, 12'369ms));
  EXPECT_THAT(runs({31ms, 32ms, 33ms, 34ms, 35ms, 36ms}), testing::Each(12'376ms));
  EXPECT_THAT(runs({170ms}), ElementsAre(12'509ms));
  EXPECT_THAT(runs({171ms, 172ms, 173ms, 174ms, 175ms}), testing::Each(12'516ms));
  EXPECT_THAT(runs({1225ms, 1226ms}), ElementsAre(13'566ms, 13'566ms));
  EXPECT_THAT(runs({1230ms}), ElementsAre(13'573ms));
}

// B-K-04
TEST(HierarchicalWheelTimer, IsLateByAsMuchAsItSaysAndNeverEarly) {
  std::mt19937_64 random(1);
  ByReaper by_reaper(with_wheel({}, 1ms, 3), 5ns);
  std::vector<Duration> deadlines;
  for (int id = 0; id < 2000; ++id) {
    const Duration delay(random() % 3'000'000'000);
    by_reaper.in(id, delay);
    deadlines.push_back(5ns + delay);
  }
  by_reaper.clock.run_for(4s);
  Duration latest{};
  for (const Ran& run : by_reaper.log.runs()) {
    const Duration lateness = run.at - deadlines[static_cast<std::size_t>(run.id)];
    EXPECT_GE(lateness, 0ns);
    latest = std::max(latest, lateness);
  }
  EXPECT_EQ(by_reaper.log.size(), 2000u);
  EXPECT_LE(latest, by_reaper.timer.max_lateness());
  EXPECT_GE(latest, by_reaper.timer.max_lateness() * 9 / 10);
}

// B-K-07
TEST(HierarchicalWheelTimer, TellsWhatIsDueByTheLastBucketThatExpired) {
  ByHand by_hand(with_wheel(Timer::as_in_kafka(), 10ms, 20));
  EXPECT_FALSE(by_hand.advance(25ms));
  by_hand.in(1, 3ms);  // would be due if the wheels were at 20, but they are at 0
  EXPECT_THAT(by_hand.log.runs(), IsEmpty());
  EXPECT_TRUE(by_hand.timer.advance_clock(0ms));
  by_hand.in(2, 3ms);
  EXPECT_THAT(by_hand.log.runs(), ElementsAre(Ran{1, 25ms}, Ran{2, 25ms}));
}

// B-K-07, B-K-20
TEST(HierarchicalWheelTimer, LeavesWhatHasNoDelayToTheNextAdvanceAsInKafkaIfTheWheelsLagBehind) {
  ByHand by_hand(Timer::as_in_kafka());
  by_hand.clock.advance_to(at(500ms));
  for (const int deadline : {-7, 0, 499, 500, 501, 501})
    by_hand.in(deadline, deadline * 1ms - 500ms);
  EXPECT_THAT(by_hand.log.runs(), ElementsAre(Ran{-7, 500ms}, Ran{0, 500ms}));
  EXPECT_TRUE(by_hand.timer.advance_clock(0ms));
  EXPECT_THAT(by_hand.log.runs(),
              ElementsAre(Ran{-7, 500ms}, Ran{0, 500ms}, Ran{499, 500ms}, Ran{500, 500ms}));
  EXPECT_TRUE(by_hand.advance(501ms));
  EXPECT_EQ(by_hand.log.size(), 6u);
}

// B-K-20
TEST(HierarchicalWheelTimer, RunsWhatHasNoDelayInTheCallByDefaultAlsoIfTheWheelsLagBehind) {
  ByHand by_hand;
  by_hand.clock.advance_to(at(500ms));
  by_hand.in(1, 0ms);
  by_hand.in(2, -1ms);
  EXPECT_THAT(by_hand.log.runs(), ElementsAre(Ran{1, 500ms}, Ran{2, 500ms}));
}

TEST(HierarchicalWheelTimer, RunsAtOnceWhatIsDueWhenTheWheelsWereIdleForLong) {
  ByReaper by_reaper;
  by_reaper.clock.advance_by(24h);
  by_reaper.in(1, 350ms);
  by_reaper.in(0, 0ms);
  by_reaper.clock.run_for(1s);
  EXPECT_THAT(by_reaper.log.runs(), ElementsAre(Ran{0, 24h}, Ran{1, 24h + 350ms}));
}

// ---- advance_clock ----------------------------------------------------------------------------

// B-K-09
TEST(HierarchicalWheelTimer, CascadesWhatIsNotDueYet) {
  ByHand by_hand;
  by_hand.in(1, 25ms);
  EXPECT_TRUE(by_hand.advance(20ms));
  EXPECT_THAT(by_hand.log.runs(), IsEmpty());
  EXPECT_EQ(by_hand.timer.size(), 1u);
  EXPECT_FALSE(by_hand.advance(24ms));
  EXPECT_TRUE(by_hand.advance(25ms));
  EXPECT_THAT(by_hand.log.runs(), ElementsAre(Ran{1, 25ms}));
}

// B-K-10
TEST(HierarchicalWheelTimer, AdvancesToABucketInWhichAllWasCancelled) {
  ByHand by_hand;
  EXPECT_EQ(by_hand.timer.cancel(by_hand.in(1, 30ms)), CancelResult::cancelled);
  EXPECT_TRUE(by_hand.advance(20ms));
  EXPECT_FALSE(by_hand.advance(30ms));
  EXPECT_THAT(by_hand.log.runs(), IsEmpty());
}

// B-K-11
TEST(HierarchicalWheelTimer, RunsBucketsByTheirExpirationInAJump) {
  ByHand by_hand;
  for (int id = 0; id < 10; ++id) by_hand.in(id, 39ms - id * 1ms);
  EXPECT_TRUE(by_hand.advance(100ms));
  EXPECT_THAT(
      by_hand.log.runs(),
      ElementsAre(Ran{9, 100ms}, Ran{8, 100ms}, Ran{7, 100ms}, Ran{6, 100ms}, Ran{5, 100ms},
                  Ran{4, 100ms}, Ran{3, 100ms}, Ran{2, 100ms}, Ran{1, 100ms}, Ran{0, 100ms}));
}

// B-K-11
TEST(HierarchicalWheelTimer, RunsTheTasksOfABucketInTheOrderInWhichTheyCame) {
  ByHand by_hand(with_wheel({}, 10ms, 20));
  for (int id = 0; id < 5; ++id) by_hand.in(id, 39ms - id * 1ms);
  by_hand.advance(40ms);
  EXPECT_THAT(by_hand.log.runs(),
              ElementsAre(Ran{0, 40ms}, Ran{1, 40ms}, Ran{2, 40ms}, Ran{3, 40ms}, Ran{4, 40ms}));
}

// B-K-12
TEST(HierarchicalWheelTimer, AscendsThroughTwelveBucketsOfThreeWheels) {
  for (const bool ascending : {true, false}) {
    ByHand by_hand(with_wheel({}, 1ms, 3));
    for (int i = 1; i <= 12; ++i) {
      const int id = ascending ? i : 13 - i;
      by_hand.in(id, id * 1ms);
    }
    EXPECT_TRUE(by_hand.advance(12ms));
    std::vector<Ran> expected;
    for (int id = 1; id <= 12; ++id) expected.push_back({id, 12ms});
    EXPECT_EQ(by_hand.log.runs(), expected);
  }
}

TEST(HierarchicalWheelTimer, WaitsForABucketButNotLongerThanItIsTold) {
  ByHand by_hand;
  by_hand.in(1, 15ms);
  std::vector<std::pair<bool, Duration>> results;
  ManualClock::Thread driver(by_hand.clock, [&] {
    for (int i = 0; i < 2; ++i) {
      const bool expired = by_hand.timer.advance_clock(50ms);
      results.emplace_back(expired, by_hand.clock.now().time_since_epoch());
    }
  });
  by_hand.clock.run_until(at(1s));
  driver.join();
  EXPECT_THAT(results,
              ElementsAre(std::pair(true, Duration(15ms)), std::pair(false, Duration(65ms))));
  EXPECT_THAT(by_hand.log.runs(), ElementsAre(Ran{1, 15ms}));
}

TEST(HierarchicalWheelTimer, IsNotAdvancedByTwo) {
  ByReaper by_reaper;
  EXPECT_THROW(by_reaper.timer.advance_clock(0ms), std::logic_error);
}

// ---- Worked examples --------------------------------------------------------------------------

// B-K-09
TEST(HierarchicalWheelTimer, Runs350And450MillisecondsOnTimeAfterOneAndTwoCascades) {
  ByReaper by_reaper;
  const std::size_t wakes = by_reaper.clock.wakes();
  by_reaper.in(350, 350ms);
  by_reaper.clock.settle();  // The reaper woke to wait for the first bucket.
  by_reaper.clock.run_until(at(360ms));
  EXPECT_EQ(by_reaper.clock.wakes(), wakes + 1 + 2);  // at 340 and at 350
  EXPECT_THAT(by_reaper.log.runs(), ElementsAre(Ran{350, 350ms}));

  ByReaper another;
  another.in(450, 450ms);
  another.clock.settle();
  const std::size_t wakes_of_another = another.clock.wakes();
  another.clock.run_until(at(460ms));
  EXPECT_EQ(another.clock.wakes(), wakes_of_another + 3);  // at 400, 440 and 450
  EXPECT_THAT(another.log.runs(), ElementsAre(Ran{450, 450ms}));
}

TEST(HierarchicalWheelTimer, Runs2And8And19Milliseconds) {
  ByReaper by_reaper;
  by_reaper.in(2, 2ms);
  by_reaper.clock.run_until(at(2ms));
  by_reaper.in(8, 8ms);
  by_reaper.in(19, 19ms);
  by_reaper.clock.run_until(at(30ms));
  EXPECT_THAT(by_reaper.log.runs(), ElementsAre(Ran{2, 2ms}, Ran{8, 10ms}, Ran{19, 21ms}));
}

/// How often the reaper is woken for timers at 200 and 840 ms, which both run on time.
std::size_t wakes_for_two(const Options& options) {
  ByReaper by_reaper(options);
  by_reaper.in(1, 200ms);
  by_reaper.in(2, 840ms);
  by_reaper.clock.settle();
  const std::size_t before = by_reaper.clock.wakes();
  by_reaper.clock.run_until(at(2s));
  EXPECT_THAT(by_reaper.log.runs(), ElementsAre(Ran{1, 200ms}, Ran{2, 840ms}));
  return by_reaper.clock.wakes() - before;
}

TEST(HierarchicalWheelTimer, WakesForBucketsThatHoldATimerAndForCascades) {
  // A clock with ticks would visit 199 + 639 empty buckets.
  EXPECT_EQ(wakes_for_two(with_wheel({}, 1ms, 1000)), 2u);
  // With wheels of 20, the timer at 840 waits in [800, 1200), which cascades.
  EXPECT_EQ(wakes_for_two(with_wheel({}, 1ms, 20)), 3u);
}

// ---- The reaper -------------------------------------------------------------------------------

TEST(HierarchicalWheelTimer, IsWokenOnlyForABucketThatIsEarlierThanAllOthers) {
  ByReaper by_reaper;
  by_reaper.in(1, 10ms);
  by_reaper.clock.settle();
  const std::size_t wakes = by_reaper.clock.wakes();
  for (int id = 2; id < 1000; ++id) by_reaper.in(id, id * 10ms);
  by_reaper.in(1000, 10ms);
  by_reaper.clock.settle();
  EXPECT_EQ(by_reaper.clock.wakes(), wakes);
  by_reaper.in(0, 5ms);
  by_reaper.clock.settle();
  EXPECT_EQ(by_reaper.clock.wakes(), wakes + 1);
  by_reaper.clock.run_until(at(5ms));
  EXPECT_THAT(by_reaper.log.runs(), ElementsAre(Ran{0, 5ms}));
}

// B-K-27
TEST(HierarchicalWheelTimer, LooksEvery200MillisecondsAsInKafka) {
  ByReaper by_reaper(Timer::as_in_kafka());
  const std::size_t wakes = by_reaper.clock.wakes();
  by_reaper.clock.run_for(1s);
  EXPECT_EQ(by_reaper.clock.wakes(), wakes + 5);
}

// B-K-25
TEST(HierarchicalWheelTimer, SleepsForWholeMillisecondsAsInKafka) {
  ByReaper by_reaper(Timer::as_in_kafka());
  by_reaper.clock.run_until(at(600'500us));
  by_reaper.in(1, 1ms);
  by_reaper.in(2, 2ms);
  by_reaper.clock.run_until(at(1s));
  EXPECT_THAT(by_reaper.log.runs(), ElementsAre(Ran{1, 601'500us}, Ran{2, 602'500us}));
  EXPECT_EQ(by_reaper.timer.max_lateness(), 1ms - 1ns);
}

TEST(HierarchicalWheelTimer, RefusesStepsOfTheClockInWhichNoTimePasses) {
  ManualClock clock;
  Options options;
  options.clock_step = 0ns;
  EXPECT_THROW(Timer(clock, options), std::invalid_argument);
}

TEST(HierarchicalWheelTimer, SleepsWhileThereIsNothingToDo) {
  ByReaper by_reaper;
  by_reaper.in(1, Duration::max());
  by_reaper.clock.settle();
  const std::size_t wakes = by_reaper.clock.wakes();
  by_reaper.clock.run_for(24h);
  EXPECT_EQ(by_reaper.clock.wakes(), wakes);
  EXPECT_EQ(by_reaper.timer.pending(), 1u);
}

// B-K-27
TEST(HierarchicalWheelTimer, EndsItsReaperWhenItIsStoppedAndOnlyOnce) {
  ByReaper by_reaper(Timer::as_in_kafka());
  by_reaper.in(1, 10min);
  by_reaper.clock.settle();
  const std::size_t wakes = by_reaper.clock.wakes();
  EXPECT_THAT(by_reaper.timer.stop(), SizeIs(1));
  EXPECT_EQ(by_reaper.clock.wakes(), wakes + 1);
  EXPECT_THAT(by_reaper.timer.stop(), IsEmpty());
  by_reaper.clock.run_for(20min);
  EXPECT_EQ(by_reaper.clock.wakes(), wakes + 1);
  EXPECT_THAT(by_reaper.log.runs(), IsEmpty());
}

// B-K-29
TEST(HierarchicalWheelTimer, RunsAllOfTheDelaysOfTheOriginalsTest) {
  ByReaper by_reaper(with_wheel({}, 1ms, 3));
  std::vector<Ran> expected;
  const auto schedule = [&](int from, int to, int times) {
    for (int id = from; id < to; ++id) {
      for (int i = 0; i < times; ++i) {
        by_reaper.in(id, id * 1ms);
        expected.push_back({id, id * 1ms});
      }
    }
  };
  schedule(0, 5, 1);
  schedule(10, 100, 2);
  schedule(100, 500, 1);
  by_reaper.clock.run_until(at(500ms));
  EXPECT_THAT(expected, SizeIs(585));
  EXPECT_EQ(by_reaper.log.runs(), expected);
}

// ---- Cancelling and adding again ----------------------------------------------------------------

// B-K-13
TEST(HierarchicalWheelTimer, CountsATimerDownAsSoonAsItIsCancelled) {
  ByHand by_hand;
  const Timer::Handle near = by_hand.in(1, 10ms);
  const Timer::Handle far = by_hand.in(2, 10h);
  EXPECT_EQ(by_hand.timer.size(), 2u);
  EXPECT_EQ(by_hand.timer.cancel(far), CancelResult::cancelled);
  EXPECT_EQ(by_hand.timer.size(), 1u);
  EXPECT_EQ(by_hand.timer.cancel(far), CancelResult::gone);
  EXPECT_EQ(by_hand.timer.size(), 1u);
  EXPECT_EQ(by_hand.timer.cancel(near), CancelResult::cancelled);
  EXPECT_EQ(by_hand.timer.size(), 0u);
  by_hand.advance(20h);
  EXPECT_THAT(by_hand.log.runs(), IsEmpty());
}

// B-K-14
TEST(HierarchicalWheelTimer, ATaskIsCancelledBeforeItIsAddedAndAfterItIsCancelled) {
  ByHand by_hand;
  Timer::Task task(10ms, by_hand.log.task(1));
  EXPECT_TRUE(task.is_cancelled());
  by_hand.timer.add(task);
  EXPECT_FALSE(task.is_cancelled());
  task.cancel();
  EXPECT_TRUE(task.is_cancelled());
  EXPECT_EQ(by_hand.timer.size(), 0u);
  by_hand.timer.add(task);
  by_hand.advance(10ms);
  EXPECT_THAT(by_hand.log.runs(), ElementsAre(Ran{1, 10ms}));
  EXPECT_FALSE(task.is_cancelled());
  task.cancel();
  EXPECT_TRUE(task.is_cancelled());
}

// B-K-15
TEST(HierarchicalWheelTimer, MovesATaskThatIsAddedAgain) {
  ByHand by_hand;
  Timer::Task task(50ms, by_hand.log.task(1));
  by_hand.timer.add(task);
  by_hand.advance(20ms);
  by_hand.timer.add(task);
  EXPECT_EQ(by_hand.timer.size(), 1u);
  for (Duration now = 21ms; now <= 200ms; now += 1ms) by_hand.advance(now);
  EXPECT_THAT(by_hand.log.runs(), ElementsAre(Ran{1, 70ms}));
  EXPECT_EQ(by_hand.timer.size(), 0u);
}

// B-K-15
TEST(HierarchicalWheelTimer, MovesATaskBetweenWheelsOfThree) {
  ByReaper by_reaper(with_wheel({}, 1ms, 3));
  Timer::Task task(100ms, by_reaper.log.task(1));
  by_reaper.timer.add(task);
  by_reaper.clock.run_until(at(30ms));
  by_reaper.timer.add(task);
  by_reaper.clock.run_until(at(500ms));
  EXPECT_THAT(by_reaper.log.runs(), ElementsAre(Ran{1, 130ms}));
}

TEST(HierarchicalWheelTimer, ATaskThatIsRefusedDoesNotGoBackIfItWasCancelledMeanwhile) {
  ByHand by_hand;
  Timer::Task task(50ms, by_hand.log.task(1));
  by_hand.timer.add(task);
  const Timer::Handle refused = by_hand.timer.schedule(1h, [] {});
  const Timer::Task::Place former = task.move_to({&by_hand.timer, refused});
  task.cancel();
  task.move_back(refused, former);
  EXPECT_TRUE(task.is_cancelled());
  EXPECT_EQ(by_hand.timer.size(), 0u);
}

TEST(HierarchicalWheelTimer, RunsATaskAgainThatAddsItself) {
  ByReaper by_reaper;
  int runs = 0;
  std::optional<Timer::Task> task;
  task.emplace(10ms, by_reaper.log.task(1, [&] {
    if (++runs < 3) by_reaper.timer.add(*task);
  }));
  by_reaper.timer.add(*task);
  by_reaper.clock.run_until(at(100ms));
  EXPECT_THAT(by_reaper.log.runs(), ElementsAre(Ran{1, 10ms}, Ran{1, 20ms}, Ran{1, 30ms}));
}

TEST(HierarchicalWheelTimer, MovesATaskFromOneTimerToAnother) {
  ByHand one;
  ByHand other;
  Timer::Task task(10ms, one.log.task(1));
  one.timer.add(task);
  other.timer.add(task);
  EXPECT_EQ(one.timer.size(), 0u);
  EXPECT_EQ(other.timer.size(), 1u);
  one.advance(10ms);
  EXPECT_THAT(one.log.runs(), IsEmpty());
  task.cancel();
  EXPECT_EQ(other.timer.size(), 0u);
}

// B-K-30
TEST(HierarchicalWheelTimer, KeepsItsSizeWhenTasksMoveBetweenBuckets) {
  ByHand by_hand;
  std::deque<Timer::Task> tasks;
  for (int id = 0; id < 10; ++id) {
    by_hand.timer.add(tasks.emplace_back(10ms, by_hand.log.task(id)));
  }
  EXPECT_EQ(by_hand.timer.size(), 10u);
  by_hand.clock.advance_to(at(1ms));
  for (std::size_t i = 0; i < 10; ++i) {
    if (i == 4) by_hand.clock.advance_to(at(2ms));
    by_hand.timer.add(tasks[i]);
    EXPECT_EQ(by_hand.timer.size(), 10u);
  }
  for (std::size_t i = 0; i < 10; ++i) {
    tasks[i].cancel();
    EXPECT_EQ(by_hand.timer.size(), 9 - i);
  }
}

TEST(HierarchicalWheelTimer, KnowsATimerAsGoneThatItDroppedWithManyOthers) {
  constexpr int kTimers = 1'000;
  ByReaper by_reaper;
  by_reaper.in(kTimers, 1h);
  std::vector<Timer::Handle> handles;
  for (int id = 0; id < kTimers; ++id) handles.push_back(by_reaper.in(id, 1h + id * 1ms));
  for (const Timer::Handle& handle : handles) {
    EXPECT_EQ(by_reaper.timer.cancel(handle), CancelResult::cancelled);
  }
  for (const Timer::Handle& handle : handles) {
    EXPECT_EQ(by_reaper.timer.cancel(handle), CancelResult::gone);
  }
  EXPECT_EQ(by_reaper.timer.size(), 1u);
  by_reaper.clock.run_for(2h);
  EXPECT_THAT(by_reaper.log.runs(), ElementsAre(Ran{kTimers, 1h}));
}

// ---- The hand-over ------------------------------------------------------------------------------

// B-K-16
TEST(HierarchicalWheelTimer, HasNotTheSizeOfWhatWasHandedOver) {
  PatientExecutor patient;
  ManualClock clock;
  RunLog log(clock);
  Timer timer(clock, ByHand::without_reaper({}, &patient));
  for (int id = 0; id < 3; ++id) timer.schedule(10ms, log.task(id));
  timer.schedule(1h, log.task(3));
  EXPECT_EQ(timer.size(), 4u);
  EXPECT_EQ(timer.pending(), 4u);
  clock.advance_to(at(10ms));
  EXPECT_TRUE(timer.advance_clock(0ms));
  EXPECT_EQ(timer.size(), 1u);
  EXPECT_EQ(timer.pending(), 4u);
  patient.run_all();
  EXPECT_EQ(timer.pending(), 1u);
  EXPECT_THAT(log.runs(), SizeIs(3));
}

/// What happens to a task at 12 ms if the task at 10 ms cancels it, in a jump over both.
std::pair<CancelResult, std::size_t> cancel_after_hand_over(const Options& options) {
  ByHand by_hand(options);
  Timer::Handle victim;
  std::optional<CancelResult> result;
  by_hand.timer.schedule(10ms, [&] { result = by_hand.timer.cancel(victim); });
  victim = by_hand.in(1, 12ms);
  by_hand.advance(40ms);
  return {result.value(), by_hand.log.size()};
}

// B-K-17
TEST(HierarchicalWheelTimer, CannotCancelWhatWasHandedOverAsInKafka) {
  EXPECT_EQ(cancel_after_hand_over(Timer::as_in_kafka()),
            std::pair(CancelResult::running, std::size_t{1}));
}

// B-K-17
TEST(HierarchicalWheelTimer, CancelsAlsoWhatWasHandedOverByDefault) {
  EXPECT_EQ(cancel_after_hand_over({}), std::pair(CancelResult::cancelled, std::size_t{0}));
}

// B-K-18
TEST(HierarchicalWheelTimer, RunsOneTaskAtATimeInTheOrderOfTheHandOver) {
  ManualClock clock;
  RunLog log(clock);
  Timer timer(clock);
  std::atomic<int> running = 0;
  std::atomic<bool> overlapped = false;
  for (int id = 0; id < 10; ++id) {
    timer.schedule(39ms - id * 1ms, log.task(id, [&] {
      if (++running > 1) overlapped = true;
      clock.sleep_for(5ms);
      --running;
    }));
  }
  clock.advance_to(at(100ms));
  clock.run_for(1s);
  EXPECT_FALSE(overlapped);
  std::vector<Ran> expected;
  for (int i = 0; i < 10; ++i) expected.push_back({9 - i, 100ms + i * 5ms});
  EXPECT_EQ(log.runs(), expected);
}

// B-K-18
TEST(HierarchicalWheelTimer, GoesOnWhileATaskIsSlow) {
  ManualClock clock;
  RunLog log(clock);
  PoolExecutor pool(clock, 2);
  Timer timer(clock, ByReaper::with_executor({}, &pool));
  timer.schedule(1s, log.task(1, [&] { clock.sleep_for(5s); }));
  timer.schedule(3s, log.task(3));
  clock.run_until(at(10s));
  EXPECT_THAT(log.runs(), ElementsAre(Ran{1, 1s}, Ran{3, 3s}));
}

// B-K-19
TEST(HierarchicalWheelTimer, SwallowsWhatATaskThrowsAsInKafka) {
  ByReaper by_reaper(Timer::as_in_kafka());
  by_reaper.timer.schedule(10ms, [] { throw std::runtime_error("nobody hears of it"); });
  by_reaper.in(1, 10ms);
  by_reaper.clock.run_until(at(1s));
  EXPECT_THAT(by_reaper.log.runs(), ElementsAre(Ran{1, 10ms}));
}

// B-K-20
TEST(HierarchicalWheelTimer, RunsWithoutAnAdvanceWhatHasNoDelay) {
  for (const Options& options : {Options(), Timer::as_in_kafka()}) {
    ByHand by_hand(options, 1s);
    for (int id = 0; id <= 5; ++id) by_hand.in(id, id * -1ms);
    EXPECT_THAT(by_hand.log.runs(), ElementsAre(Ran{0, 1s}, Ran{1, 1s}, Ran{2, 1s}, Ran{3, 1s},
                                                Ran{4, 1s}, Ran{5, 1s}));
    EXPECT_EQ(by_hand.timer.size(), 0u);
  }
}

// B-K-20
TEST(HierarchicalWheelTimer, HandsWhatHasNoDelayOverToItsOwnThread) {
  ManualClock clock;
  Timer timer(clock);
  std::thread::id ran_on;
  timer.schedule(0ms, [&] { ran_on = std::this_thread::get_id(); });
  clock.settle();
  EXPECT_NE(ran_on, std::thread::id());
  EXPECT_NE(ran_on, std::this_thread::get_id());
}

// B-K-21, D-36
TEST(HierarchicalWheelTimer, RunsTheLongestDelayAtOnceAsInKafka) {
  ByReaper by_reaper(Timer::as_in_kafka(), 1ms);
  by_reaper.in(1, Duration::max());
  EXPECT_THAT(by_reaper.log.runs(), ElementsAre(Ran{1, 1ms}));
}

// B-K-21, D-36
TEST(HierarchicalWheelTimer, NeverEndsADelayThatLeadsBeyondTheLastInstant) {
  ByReaper by_reaper({}, 1ms);
  const Timer::Handle handle = by_reaper.in(1, Duration::max());
  by_reaper.clock.run_for(std::chrono::hours(24 * 365 * 100));
  by_reaper.clock.run_until(Instant::max());
  EXPECT_THAT(by_reaper.log.runs(), IsEmpty());
  EXPECT_EQ(by_reaper.timer.cancel(handle), CancelResult::cancelled);
}

// B-K-22, B-K-23, D-36
TEST(HierarchicalWheelTimer, NeitherHangsNorDividesByZeroForHugeDelays) {
  for (const Options& base : {Options(), Timer::as_in_kafka()}) {
    ByHand by_hand(with_wheel(base, 32ns, 20), 0ns);
    const std::vector<Duration> delays = {
        Duration(std::int64_t{1} << 60), Duration(1'638'400'000'000'000'000),
        Duration(1'638'400'000'000'000'032), Duration(9'000'000'000'000'000'000)};
    std::vector<Ran> expected;
    for (std::size_t i = 0; i < delays.size(); ++i) {
      by_hand.in(static_cast<int>(i), delays[i]);
      expected.push_back({static_cast<int>(i), delays[i]});
    }
    for (const Duration delay : delays) {
      by_hand.advance(delay - 1ns);
      by_hand.advance(delay);
    }
    EXPECT_EQ(by_hand.log.runs(), expected);
  }
}

TEST(HierarchicalWheelTimer, ThrowsWhatTheExecutorThrowsForATaskWithoutDelay) {
  RefusingExecutor refusing;
  ManualClock clock;
  RunLog log(clock);
  Timer timer(clock, ByReaper::with_executor({}, &refusing));
  EXPECT_THROW(timer.schedule(0ms, log.task(1)), RejectedTask);
  EXPECT_EQ(timer.pending(), 0u);
  EXPECT_THAT(timer.stop(), IsEmpty());
}

TEST(HierarchicalWheelTimer, LeavesATaskWhereItWaitsIfTheExecutorRefusesIt) {
  RefusingExecutor refusing;
  ManualClock clock;
  Options rounds_down = ByReaper::with_executor({}, &refusing);
  rounds_down.rounding = Options::Rounding::down;
  Timer timer(clock, rounds_down);
  ByHand rounds_up;
  Timer::Task task(500us, rounds_up.log.task(1));
  EXPECT_THROW(timer.add(task), RejectedTask);
  EXPECT_TRUE(task.is_cancelled()) << "it was never added";
  rounds_up.timer.add(task);
  EXPECT_THROW(timer.add(task), RejectedTask);
  EXPECT_FALSE(task.is_cancelled());
  task.cancel();
  EXPECT_EQ(rounds_up.timer.pending(), 0u);
}

TEST(HierarchicalWheelTimer, KeepsWhatTheExecutorRefusesAndTellsOfIt) {
  RefusingExecutor refusing;
  ManualClock clock;
  RunLog log(clock);
  std::atomic<int> errors = 0;
  Options options = ByReaper::with_executor({}, &refusing);
  options.on_error = [&](const std::exception_ptr&) { ++errors; };
  Timer timer(clock, options);
  const Timer::Handle handle = timer.schedule(10ms, log.task(1));
  timer.schedule(10ms, log.task(2));
  clock.run_until(at(1s));
  EXPECT_EQ(errors, 2);
  EXPECT_EQ(timer.pending(), 2u);
  EXPECT_EQ(timer.cancel(handle), CancelResult::cancelled);
  EXPECT_THAT(timer.stop(), SizeIs(1));
  EXPECT_THAT(log.runs(), IsEmpty());
}

// ---- Stopping -----------------------------------------------------------------------------------

/// Task 1 goes to an executor that does not run it yet, after 10 ms. Task 2 waits an hour in the
/// wheels.
struct Waiting {
  Waiting() {
    timer.emplace(clock, ByReaper::with_executor({}, &patient));
    timer->schedule(10ms, log.task(1));
    timer->schedule(1h, log.task(2));
  }

  PatientExecutor patient;
  ManualClock clock;
  RunLog log{clock};
  std::optional<Timer> timer;  // A test may end it before the executor.
};

// B-K-28
TEST(HierarchicalWheelTimer, ReturnsWhatWaitsInTheWheelsAndInAnExecutor) {
  Waiting waiting;
  waiting.clock.run_until(at(10ms));
  EXPECT_EQ(waiting.timer->size(), 1u);
  {
    std::vector<TimerTask> never_ran = waiting.timer->stop();
    EXPECT_THAT(never_ran, SizeIs(2));
    EXPECT_EQ(waiting.timer->pending(), 0u);
    for (TimerTask& task : never_ran) task();
    EXPECT_THAT(waiting.log.runs(), SizeIs(2));
  }
  waiting.timer.reset();
  waiting.patient.run_all();  // The timer is gone, and took its task back.
  EXPECT_THAT(waiting.log.runs(), SizeIs(2));
}

//
TEST(HierarchicalWheelTimer, RunsNothingAfterAStopThatRanOutOfMemory) {
  Waiting waiting;
  waiting.clock.run_until(at(1s));
  conformance::Ration none{0};
  {
    const conformance::Rationing rationing(&none);
    EXPECT_THROW(waiting.timer->stop(), std::bad_alloc);
  }
  waiting.patient.run_all();
  EXPECT_THAT(waiting.log.runs(), IsEmpty());
  EXPECT_THAT(waiting.timer->stop(), SizeIs(2));
  EXPECT_EQ(waiting.timer->pending(), 0u);
}

/// A timer with a thread of its own. Task 1 runs there until `gate` is open, task 2 waits for this
/// thread, and task 3 waits in the wheels.
struct Busy {
  explicit Busy(const Options& options) : timer(clock, options) {
    timer.schedule(10ms, log.task(1, [this] { gate.park(); }));
    timer.schedule(10ms, log.task(2));
    timer.schedule(1h, log.task(3));
    clock.run_until(at(10ms));
  }

  std::vector<int> ids() const {
    std::vector<int> ids;
    for (const Ran& run : log.runs()) ids.push_back(run.id);
    return ids;
  }

  ManualClock clock;
  RunLog log{clock};
  ManualClock::Parker gate{clock};
  Timer timer;
};

// B-K-28
TEST(HierarchicalWheelTimer, ReturnsWhatWaitsForItsOwnThreadWhenItIsStopped) {
  Busy busy({});
  ASSERT_EQ(busy.timer.pending(), 2u);
  std::vector<TimerTask> never_ran;
  std::thread stopper([&] { never_ran = busy.timer.stop(); });
  while (busy.timer.pending() > 0) std::this_thread::yield();
  busy.gate.unpark();
  stopper.join();
  EXPECT_THAT(never_ran, SizeIs(2));
  EXPECT_THAT(busy.ids(), ElementsAre(1));
}

// B-K-28
TEST(HierarchicalWheelTimer, LetsItsThreadFinishWhenItIsStoppedAsInKafka) {
  Busy busy(Timer::as_in_kafka());
  ASSERT_EQ(busy.timer.pending(), 2u);
  std::vector<TimerTask> never_ran;
  std::thread stopper([&] { never_ran = busy.timer.stop(); });
  while (busy.timer.pending() > 1) std::this_thread::yield();
  busy.gate.unpark();
  stopper.join();
  EXPECT_THAT(never_ran, SizeIs(1));
  EXPECT_THAT(busy.ids(), ElementsAre(1, 2));
}

TEST(HierarchicalWheelTimer, IsStoppedByATaskThatDiesBecauseItIsCancelled) {
  PatientExecutor patient;
  ManualClock clock;
  for (const Duration delay : {Duration(0ms), Duration(1h)}) {
    Timer timer(clock, ByHand::without_reaper({}, &patient));
    std::optional<std::size_t> returned;
    const auto stop = [&](int*) { returned = timer.stop().size(); };
    const Timer::Handle handle =
        timer.schedule(delay, [held = std::shared_ptr<int>(nullptr, stop)] {});
    timer.schedule(1h, [] {});
    EXPECT_EQ(timer.cancel(handle), CancelResult::cancelled);
    EXPECT_EQ(returned, 1u);
    EXPECT_EQ(timer.pending(), 0u);
  }
}

TEST(HierarchicalWheelTimer, EndsTheThreadItHasWhenItDoesNotGetBoth) {
  for (const int threads : {0, 1}) {
    ScarceClock clock(threads);
    EXPECT_THROW({ HierarchicalWheelTimer<ScarceClock> timer(clock); }, std::system_error);
    EXPECT_EQ(clock.threads_left, 0);
  }
  ScarceClock clock(2);
  RunLog log(clock);
  HierarchicalWheelTimer<ScarceClock> timer(clock);
  timer.schedule(1ms, log.task(1));
  clock.run_for(1ms);
  EXPECT_THAT(log.runs(), ElementsAre(Ran{1, 1ms}));
}

TEST(HierarchicalWheelTimer, RefusesTasksWhenItWasStopped) {
  ByReaper by_reaper;
  by_reaper.timer.stop();
  EXPECT_THROW(by_reaper.in(1, 1ms), RejectedTask);
  EXPECT_THROW(by_reaper.in(1, 0ms), RejectedTask);
  Timer::Task task(1ms, by_reaper.log.task(1));
  EXPECT_THROW(by_reaper.timer.add(task), RejectedTask);
  EXPECT_TRUE(task.is_cancelled());
  EXPECT_EQ(by_reaper.timer.pending(), 0u);
}

TEST(HierarchicalWheelTimer, IsNotStoppedByItsTaskOnAnExecutor) {
  ByReaper by_reaper;
  bool refused = false;
  by_reaper.timer.schedule(10ms, [&] {
    EXPECT_THROW(by_reaper.timer.stop(), std::logic_error);
    refused = true;
  });
  by_reaper.in(1, 20ms);
  by_reaper.clock.run_until(at(20ms));
  EXPECT_TRUE(refused);
  EXPECT_THAT(by_reaper.log.runs(), ElementsAre(Ran{1, 20ms}));
}

TEST(HierarchicalWheelTimer, RefusesWhatCanNeverBeRight) {
  ManualClock clock;
  const auto refusal = [&](const Options& options) -> std::string {
    try {
      const Timer timer(clock, options);
    } catch (const std::invalid_argument& refused) {
      return refused.what();
    }
    return "";
  };
  EXPECT_THAT(refusal(with_wheel({}, 0ms, 20)),
              HasSubstr("a tick must be at least 1 ns, and is 0"));
  EXPECT_THAT(refusal(with_wheel({}, 1ms, 1)), HasSubstr("at least 2 buckets, and got 1"));
  Options restless;
  restless.longest_wait = -1ms;
  EXPECT_THAT(refusal(restless), HasSubstr("at least 1 ns, and is -1000000 ns"));
  Timer timer(clock);
  EXPECT_THROW(timer.schedule(1ms, nullptr), std::invalid_argument);
  EXPECT_THROW(Timer::Task(1ms, nullptr), std::invalid_argument);
  EXPECT_EQ(timer.pending(), 0u);
}

// ---- Many threads -------------------------------------------------------------------------------

/// Calls `body(number)` on `count` threads, which begin together.
void on_threads(int count, const std::function<void(int number)>& body) {
  std::atomic<int> missing = count;
  std::vector<std::thread> threads;
  for (int number = 0; number < count; ++number) {
    threads.emplace_back([&, number] {
      for (--missing; missing > 0;) std::this_thread::yield();
      body(number);
    });
  }
  for (std::thread& thread : threads) thread.join();
}

// B-K-24
TEST(HierarchicalWheelTimer, AddsNothingToAHalfMovedClock) {
  constexpr std::size_t kThreads = 4;
  constexpr std::size_t kEach = 5'000;
  ByHand by_hand(with_wheel({}, 1ms, 3));
  std::vector<std::atomic<int>> ran(kThreads * kEach);
  std::atomic<bool> early = false;
  on_threads(kThreads + 1, [&](int number) {
    if (number == kThreads) {
      for (Duration now = 1ms; now < 3s; now += 1ms) by_hand.advance(now);
      return;
    }
    std::mt19937_64 random(static_cast<std::uint64_t>(number));
    for (std::size_t i = 0; i < kEach; ++i) {
      const Duration delay((random() % 200) * 1ms);
      const Instant deadline = by_hand.clock.now() + delay;
      by_hand.timer.schedule(
          delay, [&, deadline, slot = &ran[static_cast<std::size_t>(number) * kEach + i]] {
            if (by_hand.clock.now() < deadline) early = true;
            ++*slot;
          });
    }
  });
  by_hand.advance(10s);
  EXPECT_FALSE(early);
  for (std::size_t i = 0; i < ran.size(); ++i) ASSERT_EQ(ran[i], 1) << i;
  EXPECT_EQ(by_hand.timer.pending(), 0u);
}

}  // namespace
}  // namespace timers
