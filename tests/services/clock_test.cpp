/// Both clocks keep the contract of a clock, and the manual one stops exactly where it should.

#include "impls/clocks/clock.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/prctl.h>

#include <chrono>
#include <cstdint>
#include <ctime>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include "tests/conformance/sanitizers.hpp"
#include "tests/services/attempt.hpp"

namespace timers {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::ThrowsMessage;

constexpr Instant at(Duration time) { return Instant(time); }

TEST(Instant, SaturatesAtBothEndsOfTime) {
  EXPECT_EQ(after(at(5ns), 3ns), at(8ns));
  EXPECT_EQ(after(at(5ns), -8ns), at(-3ns));
  EXPECT_EQ(after(at(1ns), Duration::max()), Instant::max());
  EXPECT_EQ(after(at(0ns), Duration::max()), Instant::max());
  EXPECT_EQ(after(Instant::max(), 1ns), Instant::max());
  EXPECT_EQ(after(at(-2ns), Duration::min()), Instant::min());
  EXPECT_EQ(after(at(-1ns), Duration::max()), Instant::max() - 1ns);
}

TEST(Instant, IsASpanApartThatSaturatesToo) {
  EXPECT_EQ(span(at(3ns), at(5ns)), 2ns);
  EXPECT_EQ(span(at(5ns), at(3ns)), -2ns);
  EXPECT_EQ(span(at(-1ns), Instant::max()), Duration::max());
  EXPECT_EQ(span(Instant::min(), Instant::max()), Duration::max());
  EXPECT_EQ(span(at(2ns), Instant::min()), Duration::min());
  EXPECT_EQ(span(Instant::max(), Instant::min()), Duration::min());
}

/// The instants at which threads continued, in this order.
class Readings {
 public:
  explicit Readings(const ManualClock& clock) : clock_(clock) {}

  void note() {
    const std::lock_guard lock(mutex_);
    readings_.push_back(clock_.now().time_since_epoch());
  }
  std::vector<Duration> all() const {
    const std::lock_guard lock(mutex_);
    return readings_;
  }

 private:
  const ManualClock& clock_;
  mutable std::mutex mutex_;
  std::vector<Duration> readings_;
};

TEST(ManualClock, StandsStillUntilItIsMoved) {
  ManualClock clock(at(7s));
  EXPECT_EQ(clock.now(), at(7s));
  clock.settle();
  EXPECT_EQ(clock.now(), at(7s));
  clock.advance_to(at(8s));
  EXPECT_EQ(clock.now(), at(8s));
  clock.advance_by(1s);
  EXPECT_EQ(clock.now(), at(9s));
  clock.run_until(at(10s));
  clock.run_for(1s);
  EXPECT_EQ(clock.now(), at(11s));
}

TEST(ManualClock, AdvancesInOneJump) {
  ManualClock clock;
  Readings readings(clock);
  ManualClock::Thread thread(clock, [&] {
    for (const Duration deadline : {10ns, 20ns, 30ns}) {
      ManualClock::Parker(clock).park_until(at(deadline));
      readings.note();
    }
  });
  clock.advance_to(at(9ns));
  EXPECT_THAT(readings.all(), IsEmpty());
  clock.advance_to(at(25ns));
  EXPECT_THAT(readings.all(), ElementsAre(25ns, 25ns));
  clock.advance_by(5ns);
  EXPECT_THAT(readings.all(), ElementsAre(25ns, 25ns, 30ns));
}

TEST(ManualClock, StopsAtEachDeadlineWhenItRuns) {
  ManualClock clock;
  Readings readings(clock);
  const auto sleep_until = [&](Duration deadline) {
    return [&clock, &readings, deadline] {
      ManualClock::Parker(clock).park_until(at(deadline));
      readings.note();
    };
  };
  ManualClock::Thread late(clock, sleep_until(30ns));
  ManualClock::Thread early(clock, sleep_until(10ns));
  ManualClock::Thread middle(clock, sleep_until(20ns));
  clock.run_until(at(20ns));
  EXPECT_THAT(readings.all(), ElementsAre(10ns, 20ns));
  EXPECT_EQ(clock.now(), at(20ns));
  clock.run_for(100ns);
  EXPECT_THAT(readings.all(), ElementsAre(10ns, 20ns, 30ns));
  EXPECT_EQ(clock.now(), at(120ns));
}

TEST(ManualClock, StopsAtDeadlinesThatComeUpOnTheWay) {
  ManualClock clock;
  Readings readings(clock);
  ManualClock::Thread thread(clock, [&] {
    for (int i = 0; i < 4; ++i) {
      clock.sleep_for(10ns);
      readings.note();
    }
  });
  clock.run_until(at(35ns));
  EXPECT_THAT(readings.all(), ElementsAre(10ns, 20ns, 30ns));
  clock.run_until(at(100ns));
  EXPECT_THAT(readings.all(), ElementsAre(10ns, 20ns, 30ns, 40ns));
}

TEST(ManualClock, SettlesWhenThreadsHaveDoneWithEachOther) {
  constexpr int kRounds = 1000;
  ManualClock clock;
  ManualClock::Parker ping(clock);
  ManualClock::Parker pong(clock);
  int rounds = 0;
  ManualClock::Thread first(clock, [&] {
    for (int i = 0; i < kRounds; ++i) {
      ping.unpark();
      pong.park();
    }
  });
  ManualClock::Thread second(clock, [&] {
    for (int i = 0; i < kRounds; ++i) {
      ping.park();
      ++rounds;
      pong.unpark();
    }
  });
  clock.settle();
  EXPECT_EQ(rounds, kRounds);
}

TEST(ManualClock, IsNotKeptByThreadsThatEnded) {
  ManualClock clock;
  Readings readings(clock);
  ManualClock::Thread ends_at_once(clock, [&] { readings.note(); });
  ManualClock::Thread ends_later(clock, [&] {
    clock.sleep_for(1s);
    readings.note();
  });
  clock.settle();
  EXPECT_THAT(readings.all(), ElementsAre(0s));
  clock.run_for(10s);
  EXPECT_THAT(readings.all(), ElementsAre(0s, 1s));
  ends_at_once.join();
  ends_later.join();
  clock.advance_by(1s);
  EXPECT_EQ(clock.now(), at(11s));
}

TEST(ManualClock, WaitsForTheEndOfWhatAThreadHolds) {
  ManualClock clock;
  struct NotesItsEnd {
    explicit NotesItsEnd(std::vector<int>& list) : ends(list) {}
    ~NotesItsEnd() { ends.push_back(1); }
    std::vector<int>& ends;
  };
  std::vector<int> ends;
  ManualClock::Thread thread(clock, [held = std::make_unique<NotesItsEnd>(ends)] {});
  clock.settle();
  EXPECT_THAT(ends, ElementsAre(1));
}

TEST(ManualClock, MovesWhileOneOfItsThreadsJoinsAnother) {
  ManualClock clock;
  Readings readings(clock);
  ManualClock::Thread sleeper(clock, [&] { clock.sleep_for(10s); });
  ManualClock::Thread joiner(clock, [&] {
    sleeper.join();
    readings.note();
  });
  clock.run_for(9s);
  EXPECT_THAT(readings.all(), IsEmpty());
  clock.run_for(9s);
  EXPECT_THAT(readings.all(), ElementsAre(10s));
}

TEST(ManualClock, MovesWhileAThreadThatIsNotItsOwnWaits) {
  ManualClock clock;
  bool token = true;
  Instant woken;
  std::thread foreign([&] {
    ManualClock::Parker parker(clock);
    token = parker.park_until(at(10s));  // before or after time has moved
    woken = clock.now();
  });
  clock.advance_to(at(10s));
  foreign.join();
  EXPECT_FALSE(token);
  EXPECT_EQ(woken, at(10s));
}

TEST(ManualClock, GivesTokensToThreadsThatAreNotItsOwn) {
  ManualClock clock;
  ManualClock::Parker parker(clock);
  bool token = false;
  std::thread foreign([&] { token = parker.park_until(at(1s)); });
  parker.unpark();
  foreign.join();
  EXPECT_TRUE(token);
  clock.advance_to(at(2s));
  EXPECT_FALSE(parker.park_until(at(2s)));
}

TEST(ManualClock, IsNotMovedBack) {
  ManualClock clock(at(10ns));
  EXPECT_THAT(Attempt([&] { clock.advance_to(at(9ns)); }),
              ThrowsMessage<std::invalid_argument>(HasSubstr("from 10 ns back to 9 ns")));
  EXPECT_THROW(clock.run_until(at(9ns)), std::invalid_argument);
  EXPECT_THROW(clock.advance_by(-1ns), std::invalid_argument);
  EXPECT_THROW(clock.run_for(-1ns), std::invalid_argument);
  EXPECT_EQ(clock.now(), at(10ns));
}

TEST(ManualClock, IsNotMovedByAThreadForWhichItWaits) {
  ManualClock clock;
  int refusals = 0;
  ManualClock::Thread thread(clock, [&] {
    const auto refused = [&](auto move) {
      try {
        move();
      } catch (const std::logic_error&) {
        ++refusals;
      }
    };
    refused([&] { clock.advance_to(at(1s)); });
    refused([&] { clock.advance_by(1s); });
    refused([&] { clock.run_until(at(1s)); });
    refused([&] { clock.run_for(1s); });
    refused([&] { clock.settle(); });
  });
  thread.join();
  EXPECT_EQ(refusals, 5);
  EXPECT_EQ(clock.now(), at(0s));
}

TEST(ManualClock, CanBeMovedByAThreadOfAnotherClock) {
  ManualClock clock;
  ManualClock other;
  ManualClock::Thread thread(other, [&] { clock.advance_by(1s); });
  thread.join();
  EXPECT_EQ(clock.now(), at(1s));
  EXPECT_EQ(other.now(), at(0s));
}

TEST(ManualClock, CountsHowOftenAThreadIsWoken) {
  ManualClock clock;
  ManualClock::Parker parker(clock);
  ManualClock::Thread thread(clock, [&] {
    parker.park_until(at(0s));   // this instant has passed
    parker.park_until(at(10s));  // returns with the token
    parker.park_until(at(10s));  // returns at this instant
    parker.park();               // returns with the token
    parker.unpark();
    parker.park();  // the token is there already
  });
  clock.settle();
  EXPECT_EQ(clock.wakes(), 0u);
  parker.unpark();
  clock.settle();
  EXPECT_EQ(clock.wakes(), 1u);
  clock.advance_to(at(9s));
  EXPECT_EQ(clock.wakes(), 1u);
  clock.advance_to(at(11s));
  EXPECT_EQ(clock.wakes(), 2u);
  parker.unpark();
  thread.join();
  EXPECT_EQ(clock.wakes(), 3u);
}

TEST(ManualClock, ReachesTheLastInstantAndStays) {
  ManualClock clock;
  Readings readings(clock);
  ManualClock::Thread thread(clock, [&] {
    clock.sleep_for(Duration::max());
    readings.note();
    ManualClock::Parker(clock).park_until(Instant::max());  // this instant has passed
    readings.note();
  });
  clock.run_until(Instant::max() - 1ns);
  EXPECT_THAT(readings.all(), IsEmpty());
  clock.run_for(1s);
  EXPECT_EQ(clock.now(), Instant::max());
  EXPECT_THAT(readings.all(), ElementsAre(Duration::max(), Duration::max()));
  clock.advance_by(Duration::max());
  EXPECT_EQ(clock.now(), Instant::max());
}

// D-84
TEST(ManualClock, MayStartBeforeZero) {
  constexpr Duration kStart(-1'000'000'000'000'000);
  ManualClock clock{at(kStart)};
  Readings readings(clock);
  ManualClock::Thread thread(clock, [&] {
    clock.sleep_for(10ns);
    readings.note();
    ManualClock::Parker(clock).park_until(at(0ns));
    readings.note();
    clock.sleep_for(10ns);
    readings.note();
  });
  clock.run_until(at(kStart + 9ns));
  EXPECT_THAT(readings.all(), IsEmpty());
  clock.run_until(at(1s));
  EXPECT_THAT(readings.all(), ElementsAre(kStart + 10ns, 0ns, 10ns));
  EXPECT_THAT(Attempt([&] { clock.advance_to(at(kStart)); }),
              ThrowsMessage<std::invalid_argument>(HasSubstr("to -1000000000000000 ns")));
}

TEST(ManualClock, DoesNotSleepForNothing) {
  ManualClock clock;
  clock.sleep_for(0s);
  clock.sleep_for(-1s);
  EXPECT_EQ(clock.wakes(), 0u);
}

/// What holds for the parkers of both clocks.
template <class ClockType>
class AParker : public testing::Test {
 protected:
  using Parker = typename ClockType::Parker;
  using Thread = typename ClockType::Thread;

  ClockType clock_;
};

using Clocks = testing::Types<ManualClock, SteadyClock>;
struct NameOfClock {
  template <class ClockType>
  static std::string GetName(int) {  // NOLINT(readability-identifier-naming): GoogleTest's
    return std::is_same_v<ClockType, SteadyClock> ? "steady" : "manual";
  }
};
TYPED_TEST_SUITE(AParker, Clocks, NameOfClock);

TYPED_TEST(AParker, KeepsATokenThatIsGivenBeforeTheWait) {
  typename TestFixture::Parker parker(this->clock_);
  parker.unpark();
  parker.park();
  parker.unpark();
  EXPECT_TRUE(parker.park_until(Instant::max()));
  parker.unpark();
  EXPECT_TRUE(parker.park_until(Instant::min()));
}

TYPED_TEST(AParker, TakesATokenThatIsGivenDuringTheWait) {
  typename TestFixture::Parker with_end(this->clock_);
  typename TestFixture::Parker without_end(this->clock_);
  bool token = false;
  typename TestFixture::Thread waiter(this->clock_, [&] {
    token = with_end.park_until(Instant::max());
    without_end.park();
  });
  with_end.unpark();
  without_end.unpark();
  waiter.join();
  EXPECT_TRUE(token);
}

TYPED_TEST(AParker, MakesOneOfTwoTokens) {
  typename TestFixture::Parker parker(this->clock_);
  parker.unpark();
  parker.unpark();
  parker.park();
  EXPECT_FALSE(parker.park_until(this->clock_.now()));
}

TYPED_TEST(AParker, DoesNotWaitForADeadlineThatHasPassed) {
  typename TestFixture::Parker parker(this->clock_);
  EXPECT_FALSE(parker.park_until(this->clock_.now()));
  EXPECT_FALSE(parker.park_until(this->clock_.now() - 1s));
  EXPECT_FALSE(parker.park_until(Instant{} - 1ns));
  EXPECT_FALSE(parker.park_until(Instant::min()));
  parker.unpark();
  EXPECT_TRUE(parker.park_until(this->clock_.now()));
}

TYPED_TEST(AParker, LosesNoTokenBetweenTwoThreads) {
  constexpr int kRounds =
      conformance::share_of(std::is_same_v<TypeParam, SteadyClock> ? 100'000 : 10'000);
  typename TestFixture::Parker ping(this->clock_);
  typename TestFixture::Parker pong(this->clock_);
  std::int64_t written = 0;  // one thread writes it, the other one reads it when it has the token
  std::int64_t sum = 0;
  typename TestFixture::Thread reader(this->clock_, [&] {
    for (int i = 0; i < kRounds; ++i) {
      ping.park();
      sum += written;
      pong.unpark();
    }
  });
  for (int i = 0; i < kRounds; ++i) {
    written = i;
    ping.unpark();
    pong.park();
  }
  reader.join();
  EXPECT_EQ(sum, std::int64_t{kRounds} * (kRounds - 1) / 2);
}

TYPED_TEST(AParker, MayBeDestroyedAsSoonAsItsTokenIsTaken) {
  constexpr int kRounds = 500;
  int destroyed = 0;
  for (; destroyed < kRounds; ++destroyed) {
    auto parker = std::make_unique<typename TestFixture::Parker>(this->clock_);
    typename TestFixture::Thread giver(this->clock_, [&given = *parker] { given.unpark(); });
    parker->park();
    parker.reset();
  }
  EXPECT_EQ(destroyed, kRounds);
}

TYPED_TEST(AParker, WaitsOnAThreadOfItsOwn) {
  const auto test_thread = std::this_thread::get_id();
  auto answer = std::make_unique<int>(42);
  int seen = 0;
  std::thread::id body_thread;
  typename TestFixture::Thread thread(this->clock_, [&, held = std::move(answer)] {
    seen = *held;
    body_thread = std::this_thread::get_id();
  });
  thread.join();
  EXPECT_EQ(seen, 42);
  EXPECT_NE(body_thread, test_thread);
}

// C-26, D-34
TEST(SteadyClock, IsSetByNobody) {
  static_assert(Instant::clock::is_steady && !SteadyClock::moves_with_the_wall_clock);
  SteadyClock clock;
  const Instant before = clock.now();
  EXPECT_GE(clock.now(), before);
}

// D-83: on Linux this clock does not count the time of a suspend.
TEST(SteadyClock, TellsTheTimeForWhichTheMachineWasAwake) {
  static_assert(SteadyClock::over_suspend == OverSuspend::stands_still);
  const auto awake = [] {
    timespec time{};
    clock_gettime(CLOCK_MONOTONIC, &time);
    return Instant(std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec));
  };
  SteadyClock clock;
  const Instant before = awake();
  const Instant now = clock.now();
  EXPECT_LE(before, now);
  EXPECT_LE(now, awake());
}

TEST(SteadyClock, GivesItsThreadsItsSlack) {
  for (const Duration slack : {SteadyClock::kLeastSlack, Duration(50us), Duration(1ms)}) {
    SteadyClock clock(slack);
    Duration seen{};
    SteadyClock::Thread(clock, [&] { seen = Duration(prctl(PR_GET_TIMERSLACK)); }).join();
    EXPECT_EQ(seen, slack);
  }
  SteadyClock exact;
  EXPECT_EQ(exact.slack(), 1ns);
}

TEST(SteadyClock, RefusesASlackThatLinuxDoesNotHave) {
  EXPECT_THAT([] { SteadyClock clock(0ns); },
              ThrowsMessage<std::invalid_argument>(HasSubstr("at least 1 ns, and is 0 ns")));
  EXPECT_THAT([] { SteadyClock clock(-1us); },
              ThrowsMessage<std::invalid_argument>(HasSubstr("-1000 ns")));
}

TEST(SteadyClock, WakesNobodyBeforeTheDeadline) {
  SteadyClock clock;
  int woken = 0;
  SteadyClock::Thread thread(clock, [&] {
    SteadyClock::Parker parker(clock);
    for (const Duration delay : {Duration(0ns), Duration(1ns), Duration(1us), Duration(50us),
                                 Duration(1ms), Duration(2ms)}) {
      const Instant deadline = clock.now() + delay;
      EXPECT_FALSE(parker.park_until(deadline));
      EXPECT_GE(clock.now(), deadline);
      ++woken;
    }
  });
  thread.join();
  EXPECT_EQ(woken, 6);
}

TEST(SteadyClock, LosesNoTokenThatComesWithTheDeadline) {
  constexpr int kRounds = 10'000;
  SteadyClock clock;
  SteadyClock::Parker ping(clock);
  SteadyClock::Parker pong(clock);
  SteadyClock::Thread giver(clock, [&] {
    for (int i = 0; i < kRounds; ++i) {
      ping.park();
      pong.unpark();
    }
  });
  int tokens = 0;
  for (int i = 0; i < kRounds; ++i) {
    ping.unpark();
    while (!pong.park_until(clock.now() + std::chrono::nanoseconds(i % 10'000))) {
    }
    ++tokens;
  }
  giver.join();
  EXPECT_EQ(tokens, kRounds);
  EXPECT_FALSE(pong.park_until(clock.now()));
}

}  // namespace
}  // namespace timers
