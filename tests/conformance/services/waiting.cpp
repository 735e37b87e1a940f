/// When the threads of a service wake, and when they sleep on.

#include <gtest/gtest.h>

#include <cstddef>
#include <vector>

#include "impls/clocks/clock.hpp"
#include "tests/conformance/services/delays.hpp"
#include "tests/conformance/services/scenario.hpp"
#include "tests/conformance/services/sentence.hpp"

namespace timers::service_conformance::about_waiting {
namespace {

// C-07, A-38, A-87, D-56, D-64, D-67
const Sentence earlier("IsWokenByAnEarlierDeadline", [](Scenario& service) {
  service.schedule(0, 1h);
  for (Id id = 1; id <= 10; ++id) {
    service.settle();
    service.schedule(id, Duration(10min) / id);
  }
  service.run_for(1min + service.lateness());
  EXPECT_TRUE(service.has_run(10));
  service.pass(1h);
  EXPECT_EQ(service.log().size(), 11u);
});

// C-07
const Sentence shortest("IsWokenByADeadlineThatIsNow", [](Scenario& service) {
  service.schedule(1, 1h);
  service.settle();
  service.schedule(2, 0ns);
  service.pass(0ns);
  EXPECT_TRUE(service.ran({2}));
  service.schedule(3, 1ns);
  service.pass(1ns);
  EXPECT_TRUE(service.ran({2, 3}));
});

// C-08, B-T-21, B-Q-17
const Sentence later("SleepsOnWhenALaterDeadlineComes", [](Scenario& service) {
  service.needs_to_sleep_on();
  service.schedule(0, 1min);
  service.settle();
  const std::size_t wakes = service.wakes();
  for (Id id = 1; id <= 100; ++id) {
    service.schedule(id, 1min + id * 1s);
    service.settle();
  }
  EXPECT_LE(service.wakes() - wakes, 1u);
  service.pass(1h);
  EXPECT_EQ(service.log().size(), 101u);
});

// C-08
const Sentence equal("SleepsOnWhenATimerOfTheSameDeadlineComes", [](Scenario& service) {
  service.needs_to_sleep_on();
  service.schedule(0, 1min);
  service.settle();
  const std::size_t wakes = service.wakes();
  for (Id id = 1; id <= 100; ++id) {
    service.schedule(id, 1min);
    service.settle();
  }
  EXPECT_LE(service.wakes() - wakes, 1u);
  service.pass(1min);
  EXPECT_EQ(service.log().size(), 101u);
});

// C-08
const Sentence many_later("SleepsOnWhenVeryManyLaterDeadlinesCome", [](const ServiceKind& kind) {
  if (!kind.promises.sleeps_on) throw Skip{"it wakes for timers that are not the next"};
  constexpr int kTimers = 100'000;
  ManualClock clock;
  const auto service = kind.make(clock);
  service->schedule(1h, [] {});
  clock.settle();
  const std::size_t wakes = clock.wakes();
  for (int i = 1; i <= kTimers; ++i) {
    service->schedule(1h + i * 1ms, [] {});
    if (i % 100 == 0) clock.settle();  // otherwise many wakes in a row count as one
  }
  EXPECT_LE(clock.wakes() - wakes, kTimers / 1000u);
  EXPECT_EQ(service->pending(), kTimers + 1u);
});

// C-08
const Sentence cancels("SleepsOnWhenTimersAreCancelled", [](const ServiceKind& kind) {
  if (!kind.promises.sleeps_on) throw Skip{"it wakes for timers that are not the next"};
  constexpr int kTimers = 1'000;  // a service may look at all timers in a cancel
  ManualClock clock;
  const auto service = kind.make(clock);
  std::vector<AnyService::Handle> handles;
  for (int i = 0; i < kTimers; ++i) {
    handles.push_back(service->schedule(1h + i * 1ms, [] {}));
  }
  clock.settle();
  const std::size_t wakes = clock.wakes();
  for (const AnyService::Handle& handle : handles) {
    EXPECT_EQ(service->cancel(handle), CancelResult::cancelled);
    clock.settle();  // otherwise many wakes in a row count as one
  }
  EXPECT_LE(clock.wakes() - wakes, 1u);
  EXPECT_EQ(service->pending(), 0u);
});

// C-09
const Sentence from_empty("IsWokenByItsFirstTimer", [](Scenario& service) {
  for (Id id = 0; id < 10; ++id) {
    service.settle();
    service.schedule(id, 10ms);
    service.pass(10ms);
    EXPECT_TRUE(service.has_run(id));
  }
});

// C-30, D-05, D-22
const Sentence empty("SleepsWhileNothingIsPending", [](Scenario& service) {
  service.schedule(1, 5ms);
  service.schedule(2, 1min);
  service.pass(5ms);
  EXPECT_EQ(service.cancel(2), CancelResult::cancelled);
  service.pass(1min);
  const std::size_t wakes = service.wakes();
  service.run_for(24h);
  EXPECT_LE(service.wakes() - wakes, service.promises().max_idle_wakes(24h));
});

// C-30, D-06, D-44
const Sentence lone("SleepsUntilItsOnlyTimerIsDue", [](const ServiceKind& kind) {
  for (const Duration delay : {Duration(20ms), Duration(1s), Duration(1min), Duration(24h)}) {
    SCOPED_TRACE(delay.count());
    Scenario service(kind);
    service.schedule(1, delay);
    service.settle();
    const std::size_t wakes = service.wakes();
    service.run_for(delay - 1ns);
    ASSERT_LE(service.wakes() - wakes, service.promises().max_idle_wakes(delay));
    service.pass(1ns);
    EXPECT_TRUE(service.ran({1}));
  }
});

// D-44, D-68, D-77
const Sentence by_the_last("IsWokenByWhatItsLastTaskSchedules", [](Scenario& service) {
  service.schedule(1, 5ms, [&] { service.schedule(2, 1min); });
  service.pass(5ms);
  service.schedule(3, 1s);
  service.pass(1s);
  EXPECT_TRUE(service.ran({1, 3}));
  service.pass(1min);
  EXPECT_TRUE(service.ran({1, 2, 3}));
});

}  // namespace
}  // namespace timers::service_conformance::about_waiting
