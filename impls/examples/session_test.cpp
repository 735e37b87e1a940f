// A test of something that takes half an hour, in no time: on ManualClock time moves when the test
// says so. It never sleeps, and it cannot fail because a machine is busy.

#include "impls/examples/session.hpp"

#include <gtest/gtest.h>

#include <chrono>

#include "impls/clocks/manual_clock.hpp"
#include "impls/queues/lazy_wheel.hpp"
#include "impls/services/queue_timer.hpp"
#include "impls/timer_task.hpp"

namespace example {
namespace {

using namespace std::chrono_literals;

class SessionTest : public testing::Test {
 protected:
  timers::ManualClock clock;
  timers::QueueTimer<timers::LazyWheel<timers::TimerTask>, timers::ManualClock> timer{clock};
  Session<decltype(timer)> session{timer};
};

TEST_F(SessionTest, EndsAfterHalfAnHour) {
  clock.advance_by(30min - 1ms);
  EXPECT_TRUE(session.is_open());
  clock.advance_by(1ms + timer.max_lateness());  // returns when all that was due has run
  EXPECT_FALSE(session.is_open());
}

TEST_F(SessionTest, GoesOnWhileItIsUsed) {
  for (int i = 0; i < 10; ++i) {
    clock.advance_by(20min);
    EXPECT_TRUE(session.use());
  }
  clock.advance_by(31min);
  EXPECT_FALSE(session.use());
}

}  // namespace
}  // namespace example
