/// When a timer runs: at its deadline, never before, whatever the steps of time are.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <ctime>
#include <random>

#include "tests/conformance/queues/scenario.hpp"
#include "tests/conformance/queues/sentence.hpp"
#include "tests/conformance/sanitizers.hpp"

namespace timers::conformance::about_time {
namespace {

// A-01, D-53
const Sentence never_early("NeverRunsATimerEarly", [](Scenario& queue) {
  queue.tolerate_lateness();
  queue.insert(1, 10);
  EXPECT_EQ(queue.expire(9), 0u);
  EXPECT_TRUE(queue.ran({}));
  for (Tick now = 10; queue.size() > 0; ++now) ASSERT_LE(queue.expire(now), 1u);
  EXPECT_EQ(queue.log().size(), 1u);
});

//
const Sentence inclusive("RunsATimerAtItsDeadline", [](Scenario& queue) {
  queue.insert(1, 5);
  EXPECT_EQ(queue.expire(5), 1u);
  EXPECT_TRUE(queue.ran({{1, 5, 5}}));
});

//
const Sentence lateness("IsLateByNoMoreThanItPromises", [](Scenario& queue) {
  queue.tolerate_lateness();
  constexpr Tick kDelays = 2600;
  Tick last = 0;
  for (Tick delay = 1; delay <= kDelays; ++delay) {
    queue.insert(delay, delay);
    last = std::max(last, delay + queue.promises().max_lateness(delay));
  }
  for (Tick now = 1; now <= last; ++now) queue.expire(now);
  ASSERT_EQ(queue.log().size(), kDelays);
  for (const Expiry& expiry : queue.log()) {
    ASSERT_GE(expiry.now, expiry.deadline);
    ASSERT_LE(expiry.now - expiry.deadline, queue.promises().max_lateness(expiry.deadline));
  }
});

//
const Sentence path("RunsTheSameByATimeWhateverTheSteps", [](const QueueKind& kind) {
  for (const Tick longest_step : Ticks{1, 7, 100, 1000}) {
    SCOPED_TRACE(longest_step);
    Scenario queue(kind);
    for (Tick deadline = 1; deadline <= 1000; ++deadline) queue.insert(deadline, deadline);
    std::mt19937_64 random(longest_step);
    while (queue.now() < 1000) {
      const Tick step = longest_step == 1000 ? 1000 : 1 + random() % longest_step;
      queue.expire(std::min<Tick>(queue.now() + step, 1000));
      ASSERT_EQ(queue.log().size(), queue.now());
    }
  }
});

//
const Sentence one_jump("RunsEverythingOnceInOneBigJump", [](Scenario& queue) {
  for (const Tick deadline : Ticks{8001, 8000, 7999, 401, 400, 399, 40, 39, 21, 20, 19, 1})
    queue.insert(deadline, deadline);
  EXPECT_EQ(queue.expire(9000), 12u);
  EXPECT_TRUE(queue.ran({{1, 1, 9000},
                         {19, 19, 9000},
                         {20, 20, 9000},
                         {21, 21, 9000},
                         {39, 39, 9000},
                         {40, 40, 9000},
                         {399, 399, 9000},
                         {400, 400, 9000},
                         {401, 401, 9000},
                         {7999, 7999, 9000},
                         {8000, 8000, 9000},
                         {8001, 8001, 9000}}));
});

// A-06, D-69
const Sentence delay_of_zero("RunsATimerWithoutDelayAtTheNextTick", [](const QueueKind& kind) {
  for (const Tick start : Ticks{0, 1, 63, 64, 100, 255, 4095}) {
    SCOPED_TRACE(start);
    Scenario queue(kind, start);
    queue.insert_in(1, 0);
    EXPECT_EQ(queue.expire(start), 0u);
    EXPECT_EQ(queue.expire(start + 1), 1u);
    EXPECT_TRUE(queue.ran({{1, start + 1, start + 1}}));
  }
});

// A-07, D-03
const Sentence set_in_past("RunsATimerOfThePastAtTheNextTick", [](const QueueKind& kind) {
  Scenario queue(kind, 100);
  queue.insert(1, 97);
  queue.insert(2, 54);
  queue.insert(3, 0);
  EXPECT_EQ(queue.expire(100), 0u);
  EXPECT_EQ(queue.expire(101), 3u);
  EXPECT_TRUE(queue.ran({{1, 101, 101}, {2, 101, 101}, {3, 101, 101}}));
});

// A-07, D-41
const Sentence past_in_order("SortsATimerOfThePastByTheDeadlineItGets", [](const QueueKind& kind) {
  Scenario queue(kind, 1000);
  queue.insert(1, 1002);
  queue.insert(2, 1001);
  queue.insert(3, 500);
  queue.insert(4, 1001);
  EXPECT_EQ(queue.expire(2000), 4u);
  EXPECT_TRUE(queue.ran({{2, 1001, 2000}, {3, 1001, 2000}, {4, 1001, 2000}, {1, 1002, 2000}}));
});

// A-09, D-01, D-36, D-51, D-73
const Sentence huge("KeepsATimerOfAHugeDelayPending", [](const QueueKind& kind) {
  for (const Tick delay : Ticks{Tick{INT64_MAX}, Tick{INT64_MAX} * 1000, kEndOfTime}) {
    SCOPED_TRACE(delay);
    Scenario queue(kind, 1000);
    queue.tolerate_lateness();
    queue.insert_in(1, delay);
    EXPECT_EQ(queue.advance(1), 0u);
    EXPECT_EQ(queue.advance(1'000'000'000), 0u);
    EXPECT_EQ(queue.expire(Tick{1} << 62), 0u);
    EXPECT_EQ(queue.size(), 1u);
    EXPECT_TRUE(queue.cancel(1));
  }
});

// A-10, D-36, D-67
const Sentence near_maximum("BearsDelaysNearTheMaximum", [](const QueueKind& kind) {
  for (const Tick start : Ticks{Tick{0}, Tick{1}, Tick{1000}, Tick{1} << 40}) {
    for (const Tick delay :
         Ticks{Tick{1} << 40, Tick{1} << 53, Tick{1} << 60, Tick{1} << 61, Tick{1} << 62,
               Tick{INT64_MAX} - start, Tick{INT64_MAX} - 1, Tick{INT64_MAX}, Tick{INT64_MAX} + 1,
               kEndOfTime - start - 1, kEndOfTime - start}) {
      SCOPED_TRACE(testing::Message() << delay << " from " << start);
      Scenario queue(kind, start);
      queue.tolerate_lateness();
      queue.insert_in(1, delay);
      EXPECT_EQ(queue.advance(1000), 0u);
      EXPECT_TRUE(queue.cancel(1));
      EXPECT_EQ(queue.advance(1000), 0u);
    }
  }
});

// D-20
const Sentence opposite("SortsOverdueBeforeHugeDeadlines", [](Scenario& queue) {
  queue.insert(1, kEndOfTime);
  queue.insert(2, Tick{1} << 63);
  queue.insert(3, 1);
  queue.insert(4, Tick{INT64_MAX});
  EXPECT_EQ(queue.expire(5), 1u);
  EXPECT_EQ(queue.expire(kEndOfTime), 3u);
  EXPECT_TRUE(queue.ran({{3, 1, 5},
                         {4, Tick{INT64_MAX}, kEndOfTime},
                         {2, Tick{1} << 63, kEndOfTime},
                         {1, kEndOfTime, kEndOfTime}}));
});

// A-09, D-74
const Sentence past_32_bits("DoesNotRunEarlyWhatExceeds32Bits", [](Scenario& queue) {
  queue.insert(1, Tick{1} << 31);
  queue.insert(2, (Tick{1} << 32) + 5000);
  for (Tick now = 1; now <= 10'000; ++now) ASSERT_EQ(queue.expire(now), 0u);
  EXPECT_EQ(queue.expire(Tick{1} << 31), 1u);
  EXPECT_EQ(queue.expire((Tick{1} << 32) + 4999), 0u);
  EXPECT_EQ(queue.expire((Tick{1} << 32) + 5000), 1u);
});

// A-18, D-66
const Sentence uptime("IsExactAfterALongUptime", [](const QueueKind& kind) {
  for (const int bit : {31, 32, 36, 40, 53, 63}) {
    for (const Tick start : Ticks{(Tick{1} << bit) - 1, Tick{1} << bit, (Tick{1} << bit) + 1}) {
      SCOPED_TRACE(start);
      Scenario queue(kind, start);
      queue.insert_in(1, 1);
      queue.insert_in(2, 64);
      queue.insert_in(3, 4096);
      for (const Tick delay : Ticks{1, 63, 64, 4095, 4096}) queue.expire(start + delay);
      EXPECT_TRUE(queue.ran({{1, start + 1, start + 1},
                             {2, start + 64, start + 64},
                             {3, start + 4096, start + 4096}}));
    }
  }
});

// A-19, D-72
const Sentence after_idling("CountsADelayFromNowAfterIdling", [](const QueueKind& kind) {
  for (const Tick idle : Ticks{Tick{255}, Tick{4097}, Tick{1'000'000}, Tick{1} << 45}) {
    SCOPED_TRACE(idle);
    Scenario queue(kind);
    queue.expire(idle);
    queue.insert_in(1, 10);
    EXPECT_EQ(queue.advance(9), 0u);
    EXPECT_EQ(queue.advance(1), 1u);
    EXPECT_TRUE(queue.ran({{1, idle + 10, idle + 10}}));
  }
});

// D-72
const Sentence not_backwards("DoesNotTurnTimeBackForATimerOfThePast", [](const QueueKind& kind) {
  Scenario queue(kind, 1000);
  queue.insert(1, 995);
  queue.insert_in(2, 100);
  queue.insert_in(3, 4096);
  EXPECT_EQ(queue.expire(1099), 1u);
  EXPECT_EQ(queue.expire(1100), 1u);
  EXPECT_EQ(queue.expire(5095), 0u);
  EXPECT_EQ(queue.expire(5096), 1u);
});

//
const Sentence same_time("RunsNothingWhenTheTimeIsRepeated", [](Scenario& queue) {
  queue.insert(1, 50);
  queue.insert(2, 192);
  EXPECT_EQ(queue.expire(50), 1u);
  EXPECT_EQ(queue.expire(50), 0u);
  EXPECT_EQ(queue.expire(192), 1u);
  EXPECT_EQ(queue.expire(192), 0u);
});

//
const Sentence set_since("RunsNothingSetSinceWhenTheTimeIsRepeated", [](const QueueKind& kind) {
  for (const Tick start : Ticks{0, 3, 63, 255}) {
    SCOPED_TRACE(start);
    Scenario queue(kind, start);
    queue.insert(1, start);
    queue.insert(2, start + 1);
    queue.insert(3, 0);
    EXPECT_EQ(queue.expire(start), 0u);
    EXPECT_EQ(queue.expire(start), 0u);
    EXPECT_EQ(queue.expire(start + 1), 3u);
  }
});

// A-23, D-58
const Sentence going_back("IgnoresATimeThatGoesBack", [](Scenario& queue) {
  queue.insert(1, 30);
  queue.insert(2, 200);
  EXPECT_EQ(queue.expire(100), 1u);
  EXPECT_EQ(queue.expire(40), 0u);
  EXPECT_EQ(queue.expire(0), 0u);
  queue.insert(3, 50);
  queue.insert_in(4, 5);
  EXPECT_EQ(queue.expire(60), 0u);
  EXPECT_EQ(queue.expire(104), 1u);
  EXPECT_EQ(queue.expire(105), 1u);
  EXPECT_EQ(queue.expire(200), 1u);
  EXPECT_TRUE(queue.ran({{1, 30, 100}, {3, 101, 104}, {4, 105, 105}, {2, 200, 200}}));
});

//
const Sentence jump("JumpsOverEmptyTimeQuickly", [](const QueueKind& kind) {
  constexpr Tick kJump = 1'000'000'000'000;
  const std::clock_t began = std::clock();
  Scenario queue(kind);
  queue.tolerate_lateness();
  Tick last = 0;
  for (Id id = 1; id <= 100; ++id) {
    const Tick deadline = id * kJump + id;
    queue.insert(id, deadline);
    last = std::max(last, deadline + kind.promises.max_lateness(deadline));
  }
  for (Tick now = kJump; queue.now() < last; now += kJump) queue.expire(now);
  EXPECT_EQ(queue.log().size(), 100u);
  EXPECT_LT(std::clock() - began, 10 * CLOCKS_PER_SEC) << "of processor time";
});

//
const Sentence random_deadlines("MeetsAnyDeadlineToTheTick", [](const QueueKind& kind) {
  std::mt19937_64 random(26);
  for (int round = 0; round < share_of(1000); ++round) {
    Scenario queue(kind, random() >> (12 + random() % 40));
    const Tick start = queue.now();
    Ticks deadlines;
    for (Id id = 1; id <= 10; ++id) {
      deadlines.push_back(start + 1 + (random() >> (12 + random() % 50)));
      queue.insert(id, deadlines.back());
    }
    std::sort(deadlines.begin(), deadlines.end());
    for (const Tick deadline : deadlines) {
      queue.expire(std::max(queue.now(), deadline - 1));
      queue.expire(deadline);
    }
    ASSERT_EQ(queue.log().size(), 10u);
    for (const Expiry& expiry : queue.log()) ASSERT_EQ(expiry.now, expiry.deadline);
  }
});

//
const Sentence many_deadlines("RunsExactlyWhatIsDueOfManyTimers", [](Scenario& queue) {
  std::mt19937_64 random(27);
  constexpr std::size_t kStep = share_of(1000);
  Ticks deadlines;
  for (Id id = 1; id <= 10 * kStep; ++id) {
    deadlines.push_back(1 + (random() >> 12));
    queue.insert(id, deadlines.back());
  }
  std::sort(deadlines.begin(), deadlines.end());
  for (std::size_t due = kStep; due <= deadlines.size(); due += kStep) {
    queue.expire(deadlines[due - 1] - 1);
    ASSERT_LT(queue.log().size(), due);
    queue.expire(deadlines[due - 1]);
    ASSERT_GE(queue.log().size(), due);
  }
});

//
const Sentence runs_once("RunsATimerOnce", [](const QueueKind& kind) {
  for (const Tick turn : Ticks{4, 8, 20, 64, 256, 512, 4096}) {
    SCOPED_TRACE(turn);
    Scenario queue(kind);
    queue.insert(1, 5);
    EXPECT_EQ(queue.expire(5), 1u);
    EXPECT_EQ(queue.expire(5 + turn), 0u);
    EXPECT_EQ(queue.expire(5 + turn * turn), 0u);
  }
});

// D-79
const Sentence mixed("RunsShortAndLongTimersEachInTheirTime", [](Scenario& queue) {
  constexpr Tick kLong = share_of(300'000);
  queue.insert(1, 10'000);
  queue.insert(2, kLong);
  queue.insert(3, 0);
  for (Tick now = 1; now <= kLong; ++now) queue.expire(now);
  EXPECT_TRUE(queue.ran({{3, 1, 1}, {1, 10'000, 10'000}, {2, kLong, kLong}}));
});

// D-69
const Sentence not_dropped("KeepsATimerThatIsVisitedBeforeItsDeadline", [](Scenario& queue) {
  queue.insert(1, 12);
  EXPECT_EQ(queue.expire(0), 0u);
  EXPECT_EQ(queue.expire(10), 0u);
  EXPECT_EQ(queue.expire(20), 1u);
  EXPECT_TRUE(queue.ran({{1, 12, 20}}));
});

}  // namespace
}  // namespace timers::conformance::about_time
