/// The order in which tasks start, as far as the service promises one.

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/conformance/random.hpp"
#include "tests/conformance/services/delays.hpp"
#include "tests/conformance/services/scenario.hpp"
#include "tests/conformance/services/sentence.hpp"

namespace timers::service_conformance::about_order {
namespace {

Ids numbers(Id count) {
  Ids ids;
  for (Id id = 0; id < count; ++id) ids.push_back(id);
  return ids;
}

//
const Sentence by_deadline("StartsTasksByTheirDeadlinesAfterAJump", [](const ServiceKind& kind) {
  Ids order = numbers(5);
  do {
    Scenario service(kind);
    service.needs_serial();
    const Duration apart = service.lateness() + 1ms;
    for (const Id id : order) service.schedule(id, (id + 1) * apart);
    service.jump(10 * apart);
    EXPECT_EQ(service.log(), numbers(5));
  } while (std::next_permutation(order.begin(), order.end()));
});

//
const Sentence many("StartsManyTasksByTheirDeadlines", [](Scenario& service) {
  service.needs_serial();
  constexpr Id kTimers = 1000;
  const Duration apart = service.lateness() + 1ms;
  conformance::Random random(49);
  Ids order = numbers(kTimers);
  for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random.below(i)]);
  for (const Id id : order) service.schedule(id, (id + 1) * apart);
  service.jump(kTimers / 2 * apart);
  service.run_for(kTimers * apart);
  EXPECT_EQ(service.log(), numbers(kTimers));
});

//
const Sentence ties("StartsEqualDeadlinesInTheOrderOfTheirComing", [](const ServiceKind& kind) {
  for (const Duration delay : kDelays) {
    SCOPED_TRACE(delay.count());
    Scenario service(kind);
    service.needs_fifo();
    for (const Id id : numbers(10)) service.schedule(id, delay);
    service.pass(delay);
    EXPECT_EQ(service.log(), numbers(10));
  }
});

// more timers than a byte counts, and more than any batch has.
const Sentence many_ties("StartsVeryManyEqualDeadlinesInTheOrderOfTheirComing",
                         [](Scenario& service) {
                           service.needs_fifo();
                           for (const Id id : numbers(5'000)) service.schedule(id, 1s);
                           service.pass(1s);
                           EXPECT_EQ(service.log(), numbers(5'000));
                         });

//
const Sentence no_delay("StartsTasksWithoutDelayInTheOrderOfTheirComing", [](Scenario& service) {
  service.needs_fifo();
  for (const Id id : numbers(100)) service.schedule(id, 0ns);
  service.pass(0ns);
  EXPECT_EQ(service.log(), numbers(100));
});

//
const Sentence anew("PutsATimerThatIsScheduledAnewBehindItsEquals", [](Scenario& service) {
  service.needs_fifo();
  service.schedule(3, 5ms);
  service.schedule(1, 5ms);
  service.schedule(2, 5ms);
  EXPECT_EQ(service.cancel(3), CancelResult::cancelled);
  service.schedule(4, 5ms);
  service.pass(5ms);
  EXPECT_EQ(service.log(), (Ids{1, 2, 4}));
});

// A-53, B-S-27
const Sentence converging("StartsEqualDeadlinesOfDifferentDelaysInTheirOrder",
                          [](const ServiceKind& kind) {
                            for (const Duration delay : kDelays) {
                              SCOPED_TRACE(delay.count());
                              Scenario service(kind);
                              service.needs_fifo();
                              service.schedule(0, delay);
                              service.schedule(1, delay);
                              service.jump(delay / 2);
                              service.schedule(2, delay - service.now());
                              service.jump(delay - 1ns - service.now());
                              service.schedule(3, 1ns);
                              service.pass(1ns);
                              EXPECT_EQ(service.log(), numbers(4));
                            }
                          });

// A-111, B-K-18
const Sentence alone("RunsOneTaskAtATime", [](Scenario& service) {
  service.needs_serial();
  service.tolerate_delays();
  int running = 0;  // not atomic: each task sees what the one before wrote
  for (const Id id : numbers(10)) {
    service.schedule(id, id % 3 * 1ms, [&] {
      EXPECT_EQ(++running, 1);
      service.sleep_for(5ms);
      EXPECT_EQ(--running, 0);
    });
  }
  service.run_for(10s);
  EXPECT_EQ(service.log().size(), 10u);
});

}  // namespace
}  // namespace timers::service_conformance::about_order
