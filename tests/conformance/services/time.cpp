/// When tasks start: never early, and not later than the service says.

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "tests/conformance/services/delays.hpp"
#include "tests/conformance/services/promises.hpp"
#include "tests/conformance/services/scenario.hpp"
#include "tests/conformance/services/sentence.hpp"

namespace timers::service_conformance::about_time {
namespace {

// D-82
const Sentence early("NeverStartsATaskEarly", [](const ServiceKind& kind) {
  for (const Duration delay : kDelays) {
    SCOPED_TRACE(delay.count());
    Scenario service(kind);
    service.schedule(1, delay);
    service.jump(delay - 1ns);
    EXPECT_TRUE(service.ran({}));
    service.pass(1ns);
    EXPECT_TRUE(service.ran({1}));
  }
});

//
const Sentence late("StartsATaskNoLaterThanItSays", [](const ServiceKind& kind) {
  for (const Duration delay : kDelays) {
    for (const Duration phase : {Duration(0), Duration(1ns), Duration(400us), Duration(500ms)}) {
      SCOPED_TRACE(testing::Message() << delay.count() << " from " << phase.count());
      Scenario service(kind);
      service.jump(phase);
      service.schedule(1, delay);
      service.run_for(delay + service.lateness());
      EXPECT_TRUE(service.ran({1}));
    }
  }
});

//
const Sentence once("RunsATaskOnce", [](Scenario& service) {
  service.schedule(1, 5ms);
  service.pass(5ms);
  for (const Duration span : kDelays) service.run_for(span);
  EXPECT_TRUE(service.ran({1}));
});

//
const Sentence due_at_once("StartsATaskThatHasNoDelay", [](Scenario& service) {
  service.schedule(1, 0ns);
  service.pass(0ns);
  EXPECT_TRUE(service.ran({1}));
  service.schedule(2, 0ns);
  service.pass(0ns);
  EXPECT_TRUE(service.ran({1, 2}));
});

// D-03, D-41: before the epoch the sum of now and Duration::min() wraps.
const Sentence negative("TakesANegativeDelayForNone", [](const ServiceKind& kind) {
  for (const Duration delay : {Duration(-1ns), Duration(-46ms), Duration(-1h), Duration::min()}) {
    SCOPED_TRACE(delay.count());
    Scenario service(kind, Instant(-1s));
    service.jump(100ms);
    service.schedule(1, 20ms);
    if (service.promises().refuses_negative_delays) {
      EXPECT_THROW(service.schedule(2, delay), std::invalid_argument);
      service.pass(20ms);
      EXPECT_TRUE(service.ran({1}));
    } else {
      service.schedule(2, delay);
      service.pass(0ns);
      EXPECT_TRUE(service.has_run(2));
      service.pass(20ms);
      EXPECT_TRUE(service.ran({1, 2}));
    }
  }
});

// D-01, D-36, D-67, D-73, D-74
const Sentence endless("NeverStartsATaskWhoseDelayLeadsBeyondAllTime", [](const ServiceKind& kind) {
  for (const Duration start : {Duration(0), Duration(1000), Duration(1s), Duration(1'000'000h)}) {
    for (const Duration delay :
         {Duration(std::int64_t{1} << 61), Duration(std::int64_t{1} << 62),
          Duration::max() - 1'000'000h, Duration::max() - 1ns, Duration::max()}) {
      SCOPED_TRACE(testing::Message() << delay.count() << " from " << start.count());
      Scenario service(kind, Instant(start));
      service.schedule(1, 10ms);
      const bool ends = after(Instant(start), delay) < Instant::max();
      const bool accepted = ends || !service.promises().refuses_endless_delays;
      if (accepted) {
        service.schedule(2, delay);
      } else {
        EXPECT_THROW(service.schedule(2, delay), std::invalid_argument);
      }
      service.schedule(3, 20ms);
      service.pass(1s);
      service.jump(1h);
      EXPECT_TRUE(service.ran({1, 3}));
      if (accepted) {
        EXPECT_EQ(service.cancel(2), CancelResult::cancelled);
      }
    }
  }
});

// A-09, B-S-03, D-01, D-73: nanoseconds cannot count so many years.
const Sentence years("NeverStartsATaskOfAThousandYears", [](const ServiceKind& kind) {
  ManualClock clock(Instant(1s));
  std::atomic<bool> has_run = false;
  const auto service = kind.make(clock);
  const auto schedule = [&] { service->schedule_in_years(1'000, [&] { has_run = true; }); };
  if (kind.promises.refuses_endless_delays) {
    EXPECT_THROW(schedule(), std::invalid_argument);
  } else {
    schedule();
    EXPECT_EQ(service->pending(), 1u);
  }
  clock.advance_by(10s);
  EXPECT_FALSE(has_run);
});

//
const Sentence at_the_end("StartsNoEndlessTimerWhenAllTimeIsOver", [](const ServiceKind& kind) {
  if (kind.promises.refuses_endless_delays) throw Skip{"it refuses delays without end"};
  Scenario service(kind, Instant::max() - 10s);
  service.schedule(1, 5s);
  service.schedule(2, 1h);
  service.schedule(3, Duration::max());
  service.jump(10s);
  EXPECT_TRUE(service.ran({1}));
  for (const Id id : {2, 3}) EXPECT_EQ(service.cancel(id), CancelResult::cancelled);
});

// D-66, D-84
const Sentence origins("CountsFromWhateverTheClockReads", [](const ServiceKind& kind) {
  const std::vector<Duration> starts = {Duration::min() / 2,
                                        -1'000'000s,
                                        -1s,
                                        -1ns,
                                        1ns,
                                        12'345ms,
                                        Duration(std::int64_t{1} << 31),
                                        Duration(std::int64_t{1} << 53),
                                        Duration::max() / 2};
  for (const Duration start : starts) {
    for (const Duration delay : {Duration(1ns), Duration(1ms), Duration(60ms), Duration(8s)}) {
      SCOPED_TRACE(testing::Message() << delay.count() << " from " << start.count());
      Scenario service(kind, Instant(start));
      service.schedule(1, delay);
      service.jump(delay - 1ns);
      EXPECT_TRUE(service.ran({}));
      service.pass(1ns);
      EXPECT_TRUE(service.ran({1}));
    }
  }
});

// A-18, D-66: a count of 32 or 36 bits wraps. A far timer must not hide the near ones.
const Sentence uptime("IsExactAfterALongUptime", [](const ServiceKind& kind) {
  if (wakes_for_each_tick(kind.promises)) throw Skip{"it wakes for each tick"};
  for (const Duration up : {(1LL << 31) * Duration(1ms), (1LL << 32) * Duration(1ms),
                            (1LL << 36) * Duration(1ms), (1LL << 31) * Duration(1s)}) {
    SCOPED_TRACE(up.count());
    Scenario service(kind);
    service.schedule(0, 200 * 365 * 24h);
    service.jump(up - 5ms);
    Id id = 0;
    for (const Duration delay : kDelays) service.schedule(++id, delay);
    service.pass(1h);
    EXPECT_EQ(service.log().size(), kDelays.size());
    EXPECT_EQ(service.cancel(0), CancelResult::cancelled);
  }
});

// A-05, D-54
const Sentence jump("RunsAllThatAJumpMadeDueOnce", [](Scenario& service) {
  Ids all;
  for (const Duration delay : kDelays) {
    all.push_back(static_cast<Id>(all.size()));
    service.schedule(all.back(), 1h + 1ms - delay);
  }
  service.jump(2h);
  EXPECT_TRUE(service.ran(all));
  service.jump(2h);
  EXPECT_TRUE(service.ran(all));
});

//
const Sentence long_jump("SleepsThroughAHundredYears", [](Scenario& service) {
  constexpr Duration kYears = 100 * 365 * 24h;
  if (wakes_for_each_tick(service.promises())) throw Skip{"it wakes for each tick"};
  service.schedule(1, 1h);
  service.schedule(2, kYears);
  service.jump(kYears - 1ns);
  EXPECT_TRUE(service.ran({1}));
  service.pass(1ns);
  EXPECT_TRUE(service.ran({1, 2}));
});

// A-19, C-27
const Sentence after_idleness("WaitsTheWholeDelayAfterLongIdleness", [](Scenario& service) {
  service.schedule(1, 1ms);
  service.pass(1ms);
  service.jump(10h);
  service.schedule(2, 10ms);
  service.jump(10ms - 1ns);
  EXPECT_TRUE(service.ran({1}));
  service.pass(1ns);
  EXPECT_TRUE(service.ran({1, 2}));
});

// C-27, D-37, D-39
const Sentence from_an_overdue("CountsFromTheClockInATaskThatIsLate", [](Scenario& service) {
  for (Id id = 1; id <= 3; ++id) {
    service.schedule(id, id * 10ms, [&service, id] { service.schedule(10 * id, 255ms); });
  }
  service.jump(1min);
  EXPECT_TRUE(service.ran({1, 2, 3}));
  service.jump(255ms - 1ns);
  EXPECT_TRUE(service.ran({1, 2, 3}));
  service.pass(1ns);
  EXPECT_TRUE(service.ran({1, 2, 3, 10, 20, 30}));
});

//
const Sentence paths("RunsTheSameOnWhateverPathTimeMoves", [](const ServiceKind& kind) {
  constexpr Id kTimers = 100;
  constexpr Id kDue = 51;  // Timers that are due later may run, too, if the service may be late.
  const auto ran_at_half_time = [&](auto move) {
    Scenario service(kind);
    for (Id id = 0; id < kTimers; ++id) service.schedule(id, id * 10ms);
    move(service);
    Ids ran = service.log();
    std::erase_if(ran, [](Id id) { return id >= kDue; });
    std::sort(ran.begin(), ran.end());
    return ran;
  };
  const Ids by_running =
      ran_at_half_time([](Scenario& service) { service.run_for(505ms + service.lateness()); });
  const Ids by_a_jump =
      ran_at_half_time([](Scenario& service) { service.jump(505ms + service.lateness()); });
  const Ids by_steps = ran_at_half_time([](Scenario& service) {
    for (int i = 0; i < 100; ++i) service.jump(5ms);
    service.jump(5ms + service.lateness());
  });
  EXPECT_EQ(by_running, by_a_jump);
  EXPECT_EQ(by_running, by_steps);
  EXPECT_EQ(by_running.size(), static_cast<std::size_t>(kDue));
});

}  // namespace
}  // namespace timers::service_conformance::about_time
