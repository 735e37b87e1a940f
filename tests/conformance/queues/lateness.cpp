/// What must hold for every queue, even if it may be late: no timer is early, and none is later
/// than the queue promises.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>

#include "tests/conformance/queues/edges.hpp"
#include "tests/conformance/queues/needs.hpp"
#include "tests/conformance/queues/scenario.hpp"
#include "tests/conformance/queues/sentence.hpp"

namespace timers::conformance::about_lateness {
namespace {

/// Timer 1, the only one, was just set with this delay. Checks that it runs in time.
void run_in_time(Scenario& queue, Tick delay) {
  ASSERT_EQ(queue.advance(delay - 1), 0u);
  ASSERT_EQ(queue.advance(1 + queue.promises().max_lateness(delay)), 1u);
}

//
const Sentence in_jumps("RunsATimerInTimeWheneverItIsSet", [](const QueueKind& kind) {
  for (const Tick start : wheel_starts()) {
    for (const Tick delay : wheel_edges(1 << 20)) {
      SCOPED_TRACE(testing::Message() << delay << " from " << start);
      Scenario queue(kind, start);
      queue.tolerate_lateness();
      queue.insert_in(1, delay);
      ASSERT_NO_FATAL_FAILURE(run_in_time(queue, delay));
    }
  }
});

//
const Sentence in_steps("RunsTimersInTimeTickByTick", [](const QueueKind& kind) {
  const auto delays = wheel_edges(1 << 13);
  for (const Tick start : Ticks{0, 1, 5, 63, 64, 100, 511, 4095}) {
    SCOPED_TRACE(start);
    Scenario queue(kind, start);  // It checks each expiry against the promise.
    queue.tolerate_lateness();
    Tick last = 0;
    for (const Tick delay : delays) {
      queue.insert_in(delay, delay);
      last = std::max(last, delay + kind.promises.max_lateness(delay));
    }
    for (Tick tick = 0; tick < last; ++tick) queue.advance(1);
    ASSERT_EQ(queue.log().size(), delays.size());
  }
});

//
const Sentence cancelled("CancelsALateTimerUntilItRuns", [](const QueueKind& kind) {
  for (const Tick delay : wheel_edges(1 << 13)) {
    SCOPED_TRACE(delay);
    Scenario queue(kind);
    queue.tolerate_lateness();
    queue.insert(1, delay);
    const std::size_t ran = queue.expire(delay);
    ASSERT_EQ(queue.cancel(1), ran == 0);
    ASSERT_EQ(queue.advance(1 + kind.promises.max_lateness(delay)), 0u);
  }
});

//
const Sentence late_anew("RunsARearmedTimerInTheTimeOfItsNewDelay", [](const QueueKind& kind) {
  need_rearm(kind);
  for (const Tick first : Ticks{Tick{10}, Tick{1000}, Tick{100'000}, Tick{1} << 30}) {
    for (const Tick delay : wheel_edges(1 << 13)) {
      SCOPED_TRACE(testing::Message() << first << ", then " << delay);
      Scenario queue(kind);
      queue.tolerate_lateness();
      queue.insert(1, first);
      queue.expire(first / 2);
      ASSERT_TRUE(queue.rearm_in(1, delay));
      ASSERT_NO_FATAL_FAILURE(run_in_time(queue, delay));
    }
  }
});

//
const Sentence by_the_end("HasRunAllTimersAtTheEndOfTime", [](const QueueKind& kind) {
  for (const Tick start : Ticks{Tick{0}, Tick{1} << 40, kEndOfTime - 1000}) {
    SCOPED_TRACE(start);
    Scenario queue(kind, start);
    queue.tolerate_lateness();
    Id id = 0;
    for (int bit = 0; bit < 64; ++bit) {
      queue.insert_in(++id, Tick{1} << bit);
      queue.insert(++id, kEndOfTime - (Tick{1} << bit));
    }
    queue.insert(++id, kEndOfTime);
    queue.expire(kEndOfTime - 1);
    queue.expire(kEndOfTime);
    ASSERT_EQ(queue.size(), 0u);
    ASSERT_EQ(queue.log().size(), id);
  }
});

}  // namespace
}  // namespace timers::conformance::about_lateness
