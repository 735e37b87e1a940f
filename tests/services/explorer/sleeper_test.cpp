/// A thread goes to sleep, and another one has something for it. In all executions that the memory
/// model allows, the first thread is woken. And if it were not, the search would find it.

#include "impls/services/parts/sleeper.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <string>

#include "impls/clocks/clock.hpp"
#include "impls/clocks/instant.hpp"
#include "impls/timer_queue.hpp"
#include "tests/services/explorer/expect_explored.hpp"
#include "tests/services/explorer/explorer.hpp"
#include "tests/services/explorer/programs/sleeper.hpp"

namespace timers {
namespace {

using namespace programs;  // NOLINT(google-build-using-namespace): the tests are about these

using RightSleeper = Sleeper<StepwiseClock, StepwiseAtomic>;

// C-07, C-09, D-67
TEST(SleeperInterleavings, LeaveNothingBehind) {
  expect_no_fault<LeaveAgainstSleep<RightSleeper>>();
  expect_no_fault<LeaveAgainstSleep<RightSleeper, Letters, 2>>();
}

// C-20, D-61
TEST(SleeperInterleavings, StopAThreadThatGoesToSleep) {
  expect_no_fault<StopAgainstSleep<RightSleeper>>();
  expect_no_fault<StopAgainstSleep<RightSleeper, Letters, 2>>();
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
