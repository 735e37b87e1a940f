/// How instants become ticks, and when a thread wakes that sleeps until a tick.

#include "impls/services/parts/ticks.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <stdexcept>

#include "impls/clocks/clock.hpp"
#include "impls/services/parts/sleeper.hpp"

namespace timers {
namespace {

using namespace std::chrono_literals;

TEST(Ticks, CountFromTheirOrigin) {
  const Ticks ticks(Instant(1007ms), 10ms);
  EXPECT_EQ(ticks.not_after(Instant(1007ms)), 0u);
  EXPECT_EQ(ticks.not_before(Instant(1007ms)), 0u);
  EXPECT_EQ(ticks.not_after(Instant(1017ms - 1ns)), 0u);
  EXPECT_EQ(ticks.not_before(Instant(1007ms + 1ns)), 1u);
  EXPECT_EQ(ticks.not_after(Instant(1017ms)), 1u);
  EXPECT_EQ(ticks.not_before(Instant(1017ms)), 1u);
  EXPECT_EQ(ticks.start_of(3), Instant(1037ms));
}

// D-84
TEST(Ticks, ReachFromTheFirstInstantToTheLast) {
  for (const Instant origin : {Instant::min(), Instant(-1s), Instant(), Instant(1s)}) {
    for (const Duration length : {Duration(1ns), Duration(7ns), Duration(1h), Duration::max()}) {
      const Ticks ticks(origin, length);
      EXPECT_EQ(ticks.not_before(Instant::max()), kEndOfTime);
      EXPECT_EQ(ticks.start_of(kEndOfTime), Instant::max());
      EXPECT_EQ(ticks.start_of(0), origin);
      const Tick late = ticks.not_after(Instant::max() - 1ns);
      EXPECT_LT(late, kEndOfTime);
      EXPECT_LE(ticks.start_of(late), Instant::max() - 1ns);
    }
  }
}

TEST(Ticks, LieAroundEachInstant) {
  const Instant instants[] = {Instant::min(), Instant(-1s), Instant(), Instant(1s),
                              Instant::max() - 1h};
  for (const Instant origin : instants) {
    for (const Instant instant : instants) {
      if (instant < origin) continue;
      for (const Duration length : {Duration(1ns), Duration(73ns), Duration(100us), Duration(1h)}) {
        const Ticks ticks(origin, length);
        const Tick before = ticks.not_after(instant);
        const Tick after = ticks.not_before(instant);
        const bool is_on_a_tick = ticks.start_of(before) == instant;
        EXPECT_LE(ticks.start_of(before), instant);
        EXPECT_LT(instant - ticks.start_of(before), length);
        EXPECT_EQ(after, is_on_a_tick ? before : before + 1);
        EXPECT_GE(ticks.start_of(after), instant);
      }
    }
  }
}

TEST(Ticks, TakeTime) {
  EXPECT_THROW(Ticks(Instant(), 0ns), std::invalid_argument);
  EXPECT_THROW(Ticks(Instant(), -1ns), std::invalid_argument);
  EXPECT_EQ(Ticks(Instant(), 1ns).length(), 1ns);
}

/// A thread sleeps until tick 10, which never comes, again and again, and counts how often it
/// slept.
class Sleeping {
 public:
  explicit Sleeping(ManualClock& clock) : sleeper(clock), thread_(clock, [this] { sleep(); }) {
    clock.settle();
  }
  ~Sleeping() {
    over_ = true;
    sleeper.wake();
  }
  Sleeping(const Sleeping&) = delete;
  Sleeping& operator=(const Sleeping&) = delete;

  /// Call it only while all is quiet.
  int sleeps() const { return sleeps_; }

  Sleeper<ManualClock> sleeper;

 private:
  void sleep() {
    while (!over_) {
      ++sleeps_;
      sleeper.sleep_until(10, Instant::max(), [] { return false; });
    }
  }

  std::atomic<bool> over_ = false;
  int sleeps_ = 0;
  ManualClock::Thread thread_;
};

// C-07, C-08
TEST(Sleeper, IsWokenForWhatIsDueBeforeItWakes) {
  ManualClock clock;
  Sleeping sleeping(clock);
  sleeping.sleeper.wake_for(10, 1);
  sleeping.sleeper.wake_for(kEndOfTime, 1);
  clock.settle();
  EXPECT_EQ(sleeping.sleeps(), 1);
  sleeping.sleeper.wake_for(9, 1);
  clock.settle();
  EXPECT_EQ(sleeping.sleeps(), 2);
}

TEST(Sleeper, IsWokenWhenManyThingsWereLeft) {
  ManualClock clock;
  Sleeping sleeping(clock);
  sleeping.sleeper.wake_for(kEndOfTime, (1 << 14) - 1);
  clock.settle();
  EXPECT_EQ(sleeping.sleeps(), 1);
  sleeping.sleeper.wake_for(kEndOfTime, 1 << 14);
  clock.settle();
  EXPECT_EQ(sleeping.sleeps(), 2);
}

TEST(Sleeper, DoesNotWakeAtTheLastInstant) {
  ManualClock clock;
  Sleeping sleeping(clock);
  clock.advance_to(Instant::max());
  EXPECT_EQ(sleeping.sleeps(), 1);
}

// C-13
TEST(Sleeper, LooksOnceMoreWhenItHasSaidHowLongItSleeps) {
  ManualClock clock;
  Sleeper sleeper(clock);
  std::size_t looks = 0;
  sleeper.sleep_until(10, Instant::max(), [&] {
    sleeper.wake_for(9, 1);  // as another thread would do
    ++looks;
    return true;
  });
  EXPECT_EQ(looks, 1u);
  sleeper.sleep_until(10, Instant::max(), [] { return false; });  // The token is still there, so
                                                                  // this returns at once.
  EXPECT_EQ(looks, 1u);
}

TEST(Sleeper, SleepsUntilItsTick) {
  ManualClock clock;
  int sleeps = 0;
  Sleeper sleeper(clock);
  ManualClock::Thread thread(clock, [&] {
    for (int second = 1; second <= 3; ++second) {
      sleeper.sleep_until(static_cast<Tick>(second), Instant(second * 1s), [] { return false; });
      ++sleeps;
    }
  });
  clock.run_for(2s);
  EXPECT_EQ(sleeps, 2);
  clock.run_for(1s);
  thread.join();
  EXPECT_EQ(sleeps, 3);
}

}  // namespace
}  // namespace timers
