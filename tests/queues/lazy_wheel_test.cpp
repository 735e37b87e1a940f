/// What a LazyWheel costs, beyond the contract of all queues. `moves()` counts the visits that were
/// in vain or that went to another level.

#include "impls/queues/lazy_wheel.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "tests/conformance/allocations.hpp"
#include "tests/conformance/random.hpp"

namespace timers {
namespace {

using testing::AllOf;
using testing::Each;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Not;

using Queue = LazyWheel<std::uint64_t>;

std::vector<Tick> expire(Queue& queue, Tick now) {
  std::vector<Tick> ran;
  queue.expire(now, [&](Tick deadline, std::uint64_t) { ran.push_back(deadline); });
  return ran;
}

TEST(LazyWheel, MovesATimerOnceForAllThatItWasPutOff) {
  Queue queue;
  const auto timer = queue.insert(100, 1);
  for (Tick now = 1; now < 100; ++now) {
    ASSERT_THAT(expire(queue, now), IsEmpty());
    queue.rearm(timer, now + 100);
  }
  EXPECT_EQ(queue.moves(), 0u);
  EXPECT_THAT(expire(queue, 198), IsEmpty());
  EXPECT_EQ(queue.moves(), 1u);
  EXPECT_THAT(expire(queue, 199), ElementsAre(199));
  EXPECT_EQ(queue.moves(), 1u);
}

TEST(LazyWheel, RunsATimerThatWasPutForward) {
  Queue queue;
  const auto timer = queue.insert(100, 1);
  queue.rearm(timer, 50);
  EXPECT_THAT(expire(queue, 49), IsEmpty());
  EXPECT_THAT(expire(queue, 50), ElementsAre(50));
  EXPECT_THAT(expire(queue, 200), IsEmpty());
}

TEST(LazyWheel, RunsATimerOnceThatWasPutForthAndBack) {
  Queue queue;
  const auto timer = queue.insert(100, 1);
  for (int i = 0; i < 1000; ++i) {
    queue.rearm(timer, 50);
    queue.rearm(timer, 100);
  }
  EXPECT_THAT(expire(queue, 99), IsEmpty());
  EXPECT_THAT(expire(queue, 100), ElementsAre(100));
  EXPECT_THAT(expire(queue, 200), IsEmpty());
}

TEST(LazyWheel, GivesTheVisitOfACancelledTimerToTheNextOne) {
  Queue queue;
  for (Tick deadline = 100; deadline < 200; ++deadline) {
    queue.cancel(queue.insert(deadline, 1));
  }
  queue.insert(200, 1);
  EXPECT_THAT(expire(queue, 200), ElementsAre(200));
  EXPECT_EQ(queue.moves(), 1u);  // the visit at 100
}

TEST(LazyWheel, LooksAtACellOnceAfterACancel) {
  Queue queue;
  queue.cancel(queue.insert(100, 1));
  queue.insert(300, 1);
  queue.cancel(queue.insert(100, 1));
  EXPECT_THAT(expire(queue, 250), IsEmpty());
  const std::uint64_t moves = queue.moves();
  EXPECT_LE(moves, 2u);
  EXPECT_THAT(expire(queue, 299), IsEmpty());
  EXPECT_LE(queue.moves(), moves + 1);
}

// A visit stores only 32 bits of its tick.
constexpr Tick kPeriod = Tick{1} << 32;

TEST(LazyWheel, TellsTicksApartWhoseLowerBitsAreTheSame) {
  Queue queue;
  const auto timer = queue.insert(5 * kPeriod + 7, 1);
  queue.rearm(timer, kPeriod + 7);
  queue.rearm(timer, 3 * kPeriod + 7);
  queue.insert(2 * kPeriod + 7, 2);
  EXPECT_THAT(expire(queue, 3 * kPeriod + 6), ElementsAre(2 * kPeriod + 7));
  EXPECT_THAT(expire(queue, 9 * kPeriod), ElementsAre(3 * kPeriod + 7));
}

/// The next expiry of a queue with one timer, which has this deadline.
template <unsigned Bits>
std::optional<Tick> next_expiry(Tick deadline) {
  LazyWheel<std::uint64_t, Bits> queue;
  queue.insert(deadline, 1);
  return queue.next_expiry();
}

TEST(LazyWheel, KnowsTheNextVisitAsFarAsItsBitsTellItsTick) {
  const auto far = [](unsigned bits) { return Tick{1} << bits; };
  for (const Tick deadline : {far(0), far(8) - 1, far(8), Tick{70'001}, far(32), far(34) - 1}) {
    EXPECT_EQ(next_expiry<2>(deadline), deadline);
    EXPECT_EQ(next_expiry<4>(deadline), deadline);
    EXPECT_EQ(next_expiry<8>(deadline), deadline);
  }
  EXPECT_EQ(next_expiry<4>(far(36) - 1), far(36) - 1);
  EXPECT_EQ(next_expiry<8>(far(40) - 1), far(40) - 1);
  EXPECT_EQ(next_expiry<2>(far(34) + 5), far(34));
  EXPECT_EQ(next_expiry<4>(far(36) + 5), far(36));
  EXPECT_EQ(next_expiry<8>(far(40) + 5), far(40));
}

TEST(LazyWheel, KnowsTheNextOfAChunkOfVisitsAndTheStartOfMore) {
  Queue queue;
  for (Tick i = 0; i < 31; ++i) queue.insert(300 + 7 * i % 31, i);
  EXPECT_EQ(queue.next_expiry(), 300u);
  queue.insert(299, 31);
  EXPECT_EQ(queue.next_expiry(), 256u);
}

TEST(LazyWheel, WakesOnlyForTimersThatAreFarApart) {
  conformance::Random random(1);
  Queue queue;
  for (std::uint64_t i = 0; i < 1000; ++i) queue.insert(1 + random.below(2'592'000'000), i);
  while (const std::optional<Tick> wake = queue.next_expiry()) {
    ASSERT_THAT(expire(queue, *wake), AllOf(Not(IsEmpty()), Each(*wake)));
  }
  EXPECT_LE(queue.moves(), 2'000u);
}

// If a bucket has only one visit, this visit needs no cascade. But it must not come early.
TEST(LazyWheel, JumpsToATimerThatIsAlone) {
  for (const Tick deadline : {Tick{300}, Tick{70'000}, Tick{20'000'000}, Tick{1} << 39}) {
    Queue queue;
    queue.insert(deadline, 1);
    queue.insert(4 * deadline, 2);
    EXPECT_THAT(expire(queue, deadline - 1), IsEmpty());
    EXPECT_THAT(expire(queue, deadline), ElementsAre(deadline));
    Queue jumping;
    jumping.insert(deadline, 1);
    jumping.insert(4 * deadline, 2);
    EXPECT_THAT(expire(jumping, deadline + 7), ElementsAre(deadline));
    EXPECT_EQ(jumping.moves(), 0u);
    EXPECT_THAT(expire(jumping, 4 * deadline), ElementsAre(4 * deadline));
  }
}

// A cascade begins at its first visit. But here time has not come that far.
TEST(LazyWheel, KnowsATimerThatIsSetBeforeTheFirstVisitOfACascade) {
  Queue queue;
  queue.insert(65'836, 1);
  EXPECT_THAT(expire(queue, 65'736), IsEmpty());
  queue.insert(65'746, 2);
  EXPECT_EQ(queue.next_expiry(), 65'746u);
  EXPECT_THAT(expire(queue, 65'746), ElementsAre(65'746));
  EXPECT_EQ(queue.next_expiry(), 65'836u);
}

TEST(LazyWheel, RunsATimerOnceThatManyVisitsLeadTo) {
  Queue queue;
  const auto timer = queue.insert(2000, 1);
  for (int round = 0; round < 700; ++round) {
    for (Tick tick = 2000; tick > 1990; --tick) queue.rearm(timer, tick);
    queue.rearm(timer, 2000);
  }
  for (Tick tick = 1900; tick > 100; --tick) queue.rearm(timer, tick);
  queue.rearm(timer, 2000);
  EXPECT_THAT(expire(queue, 1999), IsEmpty());
  EXPECT_THAT(expire(queue, 2000), ElementsAre(2000));
  EXPECT_EQ(queue.size(), 0u);
}

// Between two calls of `expire`, some timers wait while their bucket is being read. Their visits
// must be added again.
TEST(LazyWheel, HasRoomForWhatIsPutOffWhileALimitStopsIt) {
  constexpr std::size_t kTimers = 31;
  constexpr std::size_t kMore = 5000;
  Queue queue;
  std::vector<Queue::Handle> timers;
  for (std::size_t i = 0; i < kTimers; ++i) timers.push_back(queue.insert(10, i));
  for (std::size_t i = 2; i < kTimers; ++i) queue.rearm(timers[i], 100);
  std::size_t ran = 0;
  const auto count = [&](Tick, std::uint64_t) { ++ran; };
  queue.expire(10, count, 1);
  for (std::size_t i = 0; i < 64; ++i) queue.insert(200, i);
  queue.expire(10, count);
  for (std::size_t i = 0; i < kMore; ++i) queue.insert(11 + i % 240, i);
  queue.expire(300, count);
  EXPECT_EQ(ran, kTimers + 64 + kMore);
}

// A re-arm adds no visit here. Later `expire` adds visits, in far more buckets than were used
// before.
TEST(LazyWheel, HasRoomForWhatWasPutOffToBucketsThatWereNeverUsed) {
  constexpr std::size_t kTimers = 4000;
  conformance::Random random(1);
  Queue queue;
  std::vector<Queue::Handle> timers;
  for (std::size_t i = 0; i < kTimers; ++i) timers.push_back(queue.insert(1 + i % 200, i));
  std::vector<Tick> deadlines;
  for (const Queue::Handle timer : timers) {
    deadlines.push_back(1000 + random.up_to_bits(60));
    ASSERT_TRUE(queue.rearm(timer, deadlines.back()));
  }
  EXPECT_THAT(expire(queue, 200), IsEmpty());
  const std::vector<Tick> ran = expire(queue, kEndOfTime - 1);
  std::sort(deadlines.begin(), deadlines.end());
  EXPECT_EQ(ran, deadlines);
}

/// A timer is due at kDue when a sweep reaches a visit that looks like its own.
class LazyWheelInASweep : public testing::Test {
 protected:
  static constexpr Tick kDue = 1000;

  LazyWheelInASweep() {
    constexpr Tick kAlike = kDue + kPeriod;
    queue_.insert(kDue, 1);
    timer_ = queue_.insert(kAlike, 2);
    queue_.rearm(timer_, 10);
    expire(queue_, 10);
    // This timer gets the same cell, to which the visit at kAlike still belongs.
    timer_ = queue_.insert(kDue, 3);
    const auto other = queue_.insert(4 * kAlike, 4);
    run(1);
    for (Tick earlier = 1; earlier < 2000; ++earlier) queue_.rearm(other, 4 * kAlike - earlier);
  }

  void run(std::size_t limit = kNoLimit) {
    queue_.expire(
        kDue, [this](Tick, std::uint64_t) { ++ran_; }, limit);
  }

  Queue queue_;
  Queue::Handle timer_;
  std::size_t ran_ = 0;
};

TEST_F(LazyWheelInASweep, RunsTheTimerThatIsDue) {
  run();
  EXPECT_EQ(ran_, 2u);
  EXPECT_EQ(queue_.size(), 1u);
}

TEST_F(LazyWheelInASweep, KeepsTheTimerIfItIsPutOff) {
  queue_.rearm(timer_, kDue + 1000);
  run();
  EXPECT_EQ(ran_, 1u);
  EXPECT_THAT(expire(queue_, kDue + 1000), ElementsAre(kDue + 1000));
  EXPECT_EQ(queue_.size(), 1u);
}

TEST(LazyWheel, NeverRunsWhatIsRearmedAtTheEndOfTime) {
  for (const Tick visit : {kPeriod - 1, kPeriod, kPeriod + 1, kEndOfTime}) {
    Queue queue;
    const auto timer = queue.insert(visit, 1);
    queue.insert(5, 2);
    std::vector<Tick> ran;
    queue.expire(kEndOfTime, [&](Tick deadline, std::uint64_t) {
      ran.push_back(deadline);
      queue.rearm(timer, 7);
    });
    EXPECT_THAT(ran, ElementsAre(5)) << visit;
    EXPECT_EQ(queue.size(), 1u);
    EXPECT_EQ(queue.next_expiry(), kEndOfTime);
  }
}

// The cell still has a visit, which is due in the same call.
TEST(LazyWheel, NeverRunsWhatIsSetAtTheEndOfTimeInACellThatIsVisitedThen) {
  for (const Tick visit : {kPeriod - 1, kPeriod, kPeriod + 1, kEndOfTime}) {
    Queue queue;
    queue.insert(visit, 1);
    queue.insert(visit, 2);
    const auto cancelled = queue.insert(visit, 3);
    std::vector<Tick> ran;
    queue.expire(kEndOfTime, [&](Tick deadline, std::uint64_t) {
      ran.push_back(deadline);
      if (queue.cancel(cancelled)) queue.insert(7, 4);
    });
    EXPECT_THAT(ran, ElementsAre(visit, visit));
    EXPECT_EQ(queue.size(), 1u);
    EXPECT_EQ(queue.next_expiry(), kEndOfTime);
  }
}

// The next timer of the cell must not rely on a visit that has come already.
TEST(LazyWheel, VisitsACellAgainWhoseVisitHasCome) {
  Queue queue;
  queue.cancel(queue.insert(10, 1));
  EXPECT_THAT(expire(queue, 10), IsEmpty());
  queue.insert(20, 2);
  EXPECT_THAT(expire(queue, 20), ElementsAre(20));
}

TEST(LazyWheel, SweepsWhatTimersLeaveBehindThatArePutForward) {
  constexpr int kRounds = 1'000'000;
  const conformance::AllocationMeter meter;
  Queue queue;
  const auto timer = queue.insert(1'000'000, 1);
  for (int i = 0; i < kRounds; ++i) {
    queue.rearm(timer, 500'000 - static_cast<Tick>(i) % 400'000);
    if (i % 400'000 == 399'999) queue.rearm(timer, 1'000'000);
  }
  EXPECT_LE(meter.peak_bytes(), 200'000);
  EXPECT_EQ(expire(queue, 1'000'000).size(), 1u);
}

// The first bucket has visits that count, and that go back there. The other buckets have stale
// visits.
TEST(LazyWheel, SweepsEveryBucket) {
  constexpr int kRounds = 300'000;
  const conformance::AllocationMeter meter;
  Queue queue;
  for (std::uint64_t i = 0; i < 1000; ++i) queue.insert(70'000 + i % 5, i);
  const auto timer = queue.insert(20'000'000, 1);
  for (int i = 0; i < kRounds; ++i) {
    const Tick nearer = 20'000'000 - static_cast<Tick>(i) % 10'000'000;
    queue.rearm(timer, nearer);
    queue.rearm(timer, nearer - 1);
    queue.rearm(timer, 20'000'000 + static_cast<Tick>(i) % 100);
  }
  EXPECT_LE(meter.peak_bytes(), 500'000);
  EXPECT_EQ(expire(queue, 21'000'000).size(), 1001u);
}

// With fewer timers, a single huge page would count too much.
TEST(LazyWheel, NeedsFortyEightBytesForATimer) {
  conformance::Random random(1);
  for (const std::size_t n : {1'000'000u, 1'500'000u}) {
    const conformance::AllocationMeter meter;
    Queue queue;
    for (std::size_t i = 0; i < n; ++i) queue.insert(1 + random.below(3'600'000), i);
    EXPECT_LE(static_cast<double>(meter.live_bytes()) / static_cast<double>(n), 48.0) << n;
  }
}

}  // namespace
}  // namespace timers
