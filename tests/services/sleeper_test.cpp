/// In every interleaving of a thread that goes to sleep and one that has something for it, the
/// first is woken; and the search would find it if it were not.

#include "impls/services/parts/sleeper.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <string>

#include "impls/clocks/clock.hpp"
#include "impls/clocks/instant.hpp"
#include "impls/timer_queue.hpp"
#include "tests/services/interleavings.hpp"

namespace timers {
namespace {

/// Is thrown where a thread would wait: what it does later does not happen.
struct Waits {};

/// A clock with one parker, of which one can see whether a thread waits on it for ever.
struct StepwiseClock {
  struct Parker {
    explicit Parker(StepwiseClock& of) : clock(of) {}
    void park() {
      if (clock.token.exchange(false)) return;
      clock.is_waited_on = true;
      throw Waits();
    }
    bool park_until(Instant) {
      park();
      return true;
    }
    void unpark() { clock.token = true; }

    StepwiseClock& clock;
  };
  struct Thread {
    Thread(StepwiseClock&, void (*)()) {}
    void join() {}
  };

  static constexpr OverSuspend over_suspend = OverSuspend::stands_still;
  static constexpr bool moves_with_the_wall_clock = false;
  static Instant now() { return {}; }
  bool is_waited_on_for_ever() const { return is_waited_on && !token; }

  StepwiseAtomic<bool> token = false;
  bool is_waited_on = false;
};
static_assert(Clock<StepwiseClock>);

/// A thread that takes what another one leaves for it, and sleeps when there is nothing.
template <class SleeperType>
struct Driver {
  /// For the other one. What it leaves has numbers, of which the last counts.
  void leave(int number) {
    constexpr Tick kSoon = 1;
    left = number;
    sleeper.wake_for(kSoon, 1);
  }
  void stop() {
    stopped = true;
    sleeper.wake();
  }

  void drive() {
    try {
      while (!stopped) {
        take();
        sleeper.sleep_until(kEndOfTime, Instant::max(), [this] { return take(); });
      }
    } catch (const Waits&) {
    }
  }
  bool take() {
    const int number = left.exchange(0);
    if (number > 0) taken = number;
    return number > 0;
  }

  StepwiseClock clock;
  SleeperType sleeper{clock};
  StepwiseAtomic<int> left = 0;
  StepwiseAtomic<bool> stopped = false;
  int taken = 0;
};

template <class SleeperType>
struct LeaveAgainstSleep : Driver<SleeperType> {
  void first() { this->drive(); }
  void second() {
    for (const int number : {1, 2, 3}) this->leave(number);
  }
  std::string fault() const {
    const bool is_left = this->taken < 3 && this->clock.is_waited_on_for_ever();
    return is_left ? "something is left, and nobody comes" : "";
  }
};

template <class SleeperType>
struct StopAgainstSleep : Driver<SleeperType> {
  void first() { this->drive(); }
  void second() {
    this->leave(1);
    this->leave(2);
    this->stop();
  }
  std::string fault() const {
    return this->clock.is_waited_on_for_ever() ? "a thread that was stopped sleeps on" : "";
  }
};

using RightSleeper = Sleeper<StepwiseClock, StepwiseAtomic>;

template <class Program>
void expect_no_fault() {
  const Explored all = explore<Program>();
  EXPECT_EQ(all.fault, "") << "in run " << all.runs;
  EXPECT_GT(all.runs, 10u);
}

// C-07, C-09, D-67
TEST(SleeperInterleavings, LeaveNothingBehind) {
  expect_no_fault<LeaveAgainstSleep<RightSleeper>>();
}

// C-20, D-61
TEST(SleeperInterleavings, StopAThreadThatGoesToSleep) {
  expect_no_fault<StopAgainstSleep<RightSleeper>>();
}

enum class SleepFault { looks_before_it_announces, drops_the_token };

/// A sleeper with one fault.
template <SleepFault kFault>
class FaultySleeper {
 public:
  explicit FaultySleeper(StepwiseClock& clock) : clock_(clock), parker_(clock) {}

  void wake_for(Tick tick, std::size_t) {
    if (tick < announced_) wake();
  }
  void wake() { parker_.unpark(); }

  template <class HasCome>
  void sleep_until(Tick tick, Instant, HasCome has_come) {
    const bool looks_first = kFault == SleepFault::looks_before_it_announces;
    bool is_awake = looks_first && has_come();
    announced_ = tick;
    is_awake = is_awake || (!looks_first && has_come());
    if (kFault == SleepFault::drops_the_token && !is_awake) clock_.token = false;
    if (!is_awake) parker_.park();
    announced_ = 0;
  }

 private:
  StepwiseClock& clock_;
  StepwiseClock::Parker parker_;
  StepwiseAtomic<Tick> announced_ = 0;
};

TEST(SleeperInterleavings, LeaveSomethingWhenTheThreadLooksBeforeItAnnouncesItsSleep) {
  using Faulty = FaultySleeper<SleepFault::looks_before_it_announces>;
  EXPECT_NE(explore<LeaveAgainstSleep<Faulty>>().fault, "");
}
TEST(SleeperInterleavings, LetAStoppedThreadSleepOnWhenItDropsItsToken) {
  using Faulty = FaultySleeper<SleepFault::drops_the_token>;
  EXPECT_NE(explore<StopAgainstSleep<Faulty>>().fault, "");
}

}  // namespace
}  // namespace timers
