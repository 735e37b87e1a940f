/// What happens to a timer that is re-armed, and what `rearm` returns.

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstddef>

#include "tests/conformance/services/delays.hpp"
#include "tests/conformance/services/promises.hpp"
#include "tests/conformance/services/scenario.hpp"
#include "tests/conformance/services/sentence.hpp"

namespace timers::service_conformance::about_rearm {
namespace {

/// Schedules a timer with a delay of `before`, and re-arms it to `anew`. If `settles`, the service
/// has time to look at the timer before the re-arm. Expects that the timer runs once.
void expect_to_run_anew(const ServiceKind& kind, Duration before, Duration anew, bool settles) {
  SCOPED_TRACE(testing::Message() << before.count() << " ns, then " << anew.count() << " ns");
  Scenario service(kind);
  service.schedule(0, 3h);
  service.schedule(1, before);
  if (settles) service.settle();
  EXPECT_TRUE(service.rearm(1, anew));
  service.pass(anew);
  EXPECT_TRUE(service.ran({1}));
  service.pass(before);
  EXPECT_TRUE(service.ran({1}));
}

//
const Sentence new_deadline("RunsARearmedTimerAtItsNewDeadline", [](const ServiceKind& kind) {
  needs_rearm(kind);
  for (const bool settles : {false, true}) {
    for (const Duration before : kDelays) {
      for (const Duration anew : kDelays) expect_to_run_anew(kind, before, anew, settles);
    }
  }
});

//
const Sentence idle("DoesNotRunATimerThatIsPutOffAgainAndAgain", [](Scenario& service) {
  service.needs_rearm();
  service.schedule(1, 10ms);
  for (int i = 0; i < 1000; ++i) {
    service.run_for(3ms);
    ASSERT_TRUE(service.rearm(1, 10ms)) << i;
  }
  EXPECT_TRUE(service.ran({}));
  service.pass(10ms);
  EXPECT_TRUE(service.ran({1}));
});

//
const Sentence to_and_fro("RunsATimerAtTheLastOfItsDeadlines", [](Scenario& service) {
  service.needs_rearm();
  service.schedule(1, 1min);
  EXPECT_TRUE(service.rearm(1, 1h));
  EXPECT_TRUE(service.rearm(1, 1s));
  EXPECT_TRUE(service.rearm(1, 10min));
  service.settle();
  EXPECT_TRUE(service.rearm(1, 2s));
  service.settle();
  EXPECT_TRUE(service.rearm(1, 5min));
  service.run_for(5min - 1ns);
  EXPECT_TRUE(service.ran({}));
  service.pass(1ns);
  EXPECT_TRUE(service.ran({1}));
});

// C-07
const Sentence nearer("IsWokenByATimerThatComesNearer", [](Scenario& service) {
  service.needs_rearm();
  service.schedule(1, 1h);
  service.schedule(2, 10min);
  service.settle();
  EXPECT_TRUE(service.rearm(1, 1s));
  service.pass(1s);
  EXPECT_TRUE(service.ran({1}));
  EXPECT_TRUE(service.rearm(2, 0ns));
  service.pass(0ns);
  EXPECT_TRUE(service.ran({1, 2}));
});

// A-38, C-07
const Sentence nearer_at_once("IsWokenByATimerThatComesNearerWhileItIsNew", [](Scenario& service) {
  service.needs_rearm();
  service.schedule(0, 2h);
  service.settle();
  service.schedule(1, 3h);
  EXPECT_TRUE(service.rearm(1, 1s));
  service.pass(1s);
  EXPECT_TRUE(service.ran({1}));
});

// C-08
const Sentence sleeps_on("SleepsOnWhenATimerIsPutOff", [](Scenario& service) {
  service.needs_rearm();
  service.schedule(1, 1min);
  service.settle();
  const std::size_t wakes = service.wakes();
  for (int i = 1; i <= 100; ++i) {
    EXPECT_TRUE(service.rearm(1, 1min + i * 1s));
    service.settle();
  }
  EXPECT_EQ(service.wakes(), wakes);
  service.pass(3min);
  EXPECT_TRUE(service.ran({1}));
});

const Sentence wakes("WakesForNothingAtMostOnceForEachRearm", [](Scenario& service) {
  service.needs_rearm();
  const std::size_t for_one = std::max<std::size_t>(service.promises().max_idle_wakes(1h), 1);
  if (for_one > 100) throw Skip{"it wakes all the time"};
  service.schedule(1, 1h);
  service.settle();
  const std::size_t wakes_before = service.wakes();
  constexpr std::size_t kTimes = 50;  // in less than an hour, so no old deadline comes meanwhile
  for (std::size_t i = 0; i < kTimes; ++i) {
    service.run_for(1min);
    EXPECT_TRUE(service.rearm(1, 1h));
  }
  EXPECT_LE(service.wakes() - wakes_before, for_one);
  service.pass(1h);
  EXPECT_TRUE(service.ran({1}));
  EXPECT_LE(service.wakes() - wakes_before, kTimes + 3 * for_one);
});

const Sentence far("WakesSeldomForATimerThatIsPutOffByFar", [](Scenario& service) {
  service.needs_rearm();
  const std::size_t for_one = std::max<std::size_t>(service.promises().max_idle_wakes(10min), 1);
  service.schedule(1, 10ms);
  service.settle();
  EXPECT_TRUE(service.rearm(1, 10min));
  const std::size_t wakes_before = service.wakes();
  service.pass(10min);
  EXPECT_TRUE(service.ran({1}));
  EXPECT_LE(service.wakes() - wakes_before, 3 * for_one + 3);
});

//
const Sentence cancelled("CannotRearmACancelledTimer", [](Scenario& service) {
  service.needs_rearm();
  service.schedule(1, 1s);
  EXPECT_EQ(service.cancel(1), CancelResult::cancelled);
  EXPECT_FALSE(service.rearm(1, 1ms));
  EXPECT_FALSE(service.rearm(1, 1min));
  service.pass(1h);
  EXPECT_TRUE(service.ran({}));
});

const Sentence ran("CannotRearmATimerThatRan", [](Scenario& service) {
  service.needs_rearm();
  service.schedule(1, 1s);
  service.pass(1s);
  EXPECT_FALSE(service.rearm(1, 1s));
  service.pass(1h);
  EXPECT_TRUE(service.ran({1}));
});

const Sentence running("CannotRearmATimerThatRuns", [](Scenario& service) {
  service.needs_rearm();
  service.tolerate_delays();
  std::atomic<bool> by_itself = true;
  service.schedule(1, 5ms, [&] {
    by_itself = service.rearm(1, 5ms);
    service.sleep_for(1min);
  });
  service.pass(5ms);
  EXPECT_FALSE(by_itself);
  EXPECT_FALSE(service.rearm(1, 5ms));
  service.run_for(1h);
  EXPECT_TRUE(service.ran({1}));
});

const Sentence never_was("CannotRearmATimerThatNeverWas", [](Scenario& service) {
  service.needs_rearm();
  EXPECT_FALSE(service.rearm_null(1s));
  service.schedule(1, 5ms);
  EXPECT_FALSE(service.rearm_null(1h));
  service.pass(5ms);
  EXPECT_TRUE(service.ran({1}));
});

//
const Sentence when_stopped("CannotRearmWhenItIsStopped", [](Scenario& service) {
  service.needs_rearm();
  service.schedule(1, 1s);
  service.schedule(2, 1h);
  EXPECT_TRUE(service.rearm(1, 1min));
  EXPECT_TRUE(service.rearm(2, 1s));
  EXPECT_EQ(service.stop(), (Ids{1, 2}));
  EXPECT_FALSE(service.rearm(1, 1s));
  EXPECT_FALSE(service.rearm(2, 1h));
});

//
const Sentence while_stopping("CannotRearmWhileAStopWaits", [](Scenario& service) {
  service.needs_rearm();
  service.tolerate_delays();
  std::atomic<bool> before_stop = false;
  std::atomic<bool> after_stop = true;
  service.schedule(2, 1h);
  service.schedule(1, 5ms, [&] {
    before_stop = service.rearm(2, 2h);
    service.sleep_for(1s);
    after_stop = service.rearm(2, 3h);
  });
  service.pass(5ms);
  Ids returned;
  // All is quiet when the thread that stops the service waits.
  ManualClock::Thread stopper(service.clock(), [&] { returned = service.stop(); });
  service.run_for(1s);
  stopper.join();
  EXPECT_EQ(returned, (Ids{2}));
  EXPECT_TRUE(before_stop);
  EXPECT_FALSE(after_stop);
});

//
const Sentence cancelled_later("CancelsARearmedTimer", [](Scenario& service) {
  service.needs_rearm();
  for (Id id = 1; id <= 4; ++id) service.schedule(id, 1min);
  service.settle();
  EXPECT_TRUE(service.rearm(1, 1h));
  EXPECT_TRUE(service.rearm(2, 1s));
  EXPECT_EQ(service.cancel(1), CancelResult::cancelled);
  EXPECT_EQ(service.cancel(2), CancelResult::cancelled);
  EXPECT_TRUE(service.rearm(3, 1h));
  service.run_for(2min);
  EXPECT_EQ(service.cancel(3), CancelResult::cancelled);
  service.pass(2h);
  EXPECT_TRUE(service.ran({4}));
});

const Sentence handles("KeepsTheHandleOfARearmedTimer", [](Scenario& service) {
  service.needs_rearm();
  service.schedule(1, 1min);
  service.schedule(2, 1min);
  for (const Duration delay : {1h, 1h, 1h}) EXPECT_TRUE(service.rearm(1, delay));
  EXPECT_FALSE(service.same_handle(1, 2));
  EXPECT_EQ(service.cancel(1), CancelResult::cancelled);
  EXPECT_EQ(service.cancel(1), CancelResult::gone);
  service.pass(1h);
  EXPECT_TRUE(service.ran({2}));
});

//
const Sentence from_task("LetsATaskRearmOthers", [](Scenario& service) {
  service.needs_rearm();
  const Duration lateness = service.lateness();
  service.schedule(1, 1s, [&] {
    EXPECT_TRUE(service.rearm(2, 1min));
    EXPECT_TRUE(service.rearm(3, 1s));
  });
  service.schedule(2, 2s + lateness);
  service.schedule(3, 1h);
  service.run_for(2s + 2 * lateness);
  EXPECT_TRUE(service.ran({1, 3}));
  service.pass(1min);
  EXPECT_TRUE(service.ran({1, 2, 3}));
});

//
const Sentence siblings("MayRearmATimerOfTheSameDeadline", [](Scenario& service) {
  service.needs_rearm();
  service.needs_serial();
  constexpr Id kTimers = 20;
  for (Id id = 1; id <= kTimers; ++id) {
    service.schedule(id, 1s, [&service, id] {
      for (Id other = 1; other <= kTimers; ++other) {
        if (other != id) service.rearm(other, 1min);
      }
    });
  }
  service.pass(1s);
  EXPECT_GE(service.log().size(), 1u);
  service.run_for(1h);
  EXPECT_EQ(service.log().size(), std::size_t{kTimers});
});

//
const Sentence endless("NeverRunsATimerThatIsRearmedBeyondAllTime", [](const ServiceKind& kind) {
  needs_rearm(kind);
  if (kind.promises.refuses_endless_delays) throw Skip{"it refuses such delays"};
  if (wakes_for_each_tick(kind.promises)) throw Skip{"it wakes for each tick"};
  for (const Duration start : {Duration(0), Duration(1s), Duration(1'000'000h)}) {
    for (const Duration delay : {Duration::max() - 1ns, Duration::max()}) {
      SCOPED_TRACE(testing::Message() << delay.count() << " from " << start.count());
      Scenario service(kind, Instant(start));
      service.schedule(1, 1s);
      EXPECT_TRUE(service.rearm(1, delay));
      service.jump(24h * 365);
      EXPECT_TRUE(service.ran({}));
      EXPECT_TRUE(service.rearm(1, 1s));
      service.pass(1s);
      EXPECT_TRUE(service.ran({1}));
    }
  }
});

// before the epoch the sum of now and Duration::min() wraps.
const Sentence negative_delay("TakesANegativeDelayForNone", [](const ServiceKind& kind) {
  needs_rearm(kind);
  if (kind.promises.refuses_negative_delays) throw Skip{"it refuses such delays"};
  for (const Duration delay : {Duration(-1ns), Duration(-1h), Duration::min()}) {
    SCOPED_TRACE(delay.count());
    Scenario service(kind, Instant(-1s));
    service.schedule(1, 1h);
    EXPECT_TRUE(service.rearm(1, delay));
    service.pass(0ns);
    EXPECT_TRUE(service.ran({1}));
  }
});

//
const Sentence turn("GivesARearmedTimerItsTurnAnew", [](Scenario& service) {
  service.needs_rearm();
  service.needs_fifo();
  if (!service.promises().rearms_in_turn) throw Skip{"it does not keep the turn of a re-arm"};
  service.schedule(1, 1s);
  service.schedule(2, 1s);
  EXPECT_TRUE(service.rearm(1, 1s));
  service.pass(1s);
  EXPECT_EQ(service.log(), (Ids{2, 1}));
});

//
const Sentence many_put_off("PutsOffVeryManyTimers", [](Scenario& service) {
  service.needs_rearm();
  constexpr Id kTimers = 3'000;
  for (Id id = 0; id < kTimers; ++id) service.schedule(id, 1s + id * 1ms);
  service.settle();
  for (Id id = 0; id < kTimers; ++id) {
    ASSERT_TRUE(service.rearm(id, id % 3 == 0 ? 10s + id * 3ms : 1s + id * 2ms));
  }
  for (Id id = 0; id < kTimers; id += 7) {
    ASSERT_TRUE(service.rearm(id, 500ms + id % 11 * 1ms));
  }
  service.pass(1min);
  EXPECT_EQ(service.log().size(), std::size_t{kTimers});
});

}  // namespace
}  // namespace timers::service_conformance::about_rearm
