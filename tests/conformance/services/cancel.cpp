/// What happens to a timer that is cancelled, and what `cancel` returns.

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include "impls/clocks/clock.hpp"
#include "tests/conformance/sanitizers.hpp"
#include "tests/conformance/services/delays.hpp"
#include "tests/conformance/services/scenario.hpp"
#include "tests/conformance/services/sentence.hpp"
#include "tests/conformance/threads_together.hpp"

namespace timers::service_conformance::about_cancel {
namespace {

// C-03
const Sentence never("NeverRunsACancelledTask", [](const ServiceKind& kind) {
  for (const Duration delay : kDelays) {
    SCOPED_TRACE(delay.count());
    Scenario service(kind);
    service.schedule(1, delay);
    service.schedule(2, delay);
    EXPECT_EQ(service.cancel(1), CancelResult::cancelled);
    EXPECT_EQ(service.destroyed(1), 1);
    service.pass(delay);
    service.jump(2min);
    EXPECT_TRUE(service.ran({2}));
  }
});

// D-14
const Sentence twice("CancelsATimerOnce", [](Scenario& service) {
  service.schedule(1, 5ms);
  service.schedule(2, 5ms);
  EXPECT_EQ(service.cancel(1), CancelResult::cancelled);
  EXPECT_EQ(service.cancel(1), CancelResult::gone);
  EXPECT_EQ(service.pending(), 1u);
  service.pass(5ms);
  EXPECT_EQ(service.cancel(1), CancelResult::gone);
  EXPECT_TRUE(service.ran({2}));
});

// C-01, C-23: the threads go through the timers side by side, so that they meet at many.
const Sentence by_two("CancelsATimerOnceForTwoThreads", [](const ServiceKind& kind) {
  constexpr int kTimers = 100;
  ManualClock clock;
  const auto service = kind.make(clock);
  for (int round = 0; round < conformance::share_of(100); ++round) {
    const auto held = std::make_shared<int>();
    std::vector<AnyService::Handle> handles;
    for (int i = 0; i < kTimers; ++i) handles.push_back(service->schedule(1h, [held] {}));
    std::atomic<int> cancelled = 0;
    const auto cancel_all = [&] {
      for (const AnyService::Handle& handle : handles) {
        if (service->cancel(handle) == CancelResult::cancelled) ++cancelled;
      }
    };
    conformance::together({cancel_all, cancel_all});
    ASSERT_EQ(cancelled, kTimers);
    ASSERT_EQ(service->pending(), 0u);
    ASSERT_EQ(held.use_count(), 1) << "a task was not destroyed";
  }
});

// A-31, C-02
const Sentence after_run("SaysOfATimerThatRanThatItIsGone", [](Scenario& service) {
  service.schedule(1, 5ms);
  service.schedule(2, 1h);
  service.pass(5ms);
  EXPECT_EQ(service.cancel(1), CancelResult::gone);
  EXPECT_EQ(service.cancel(1), CancelResult::gone);
  EXPECT_EQ(service.pending(), 1u);
  service.pass(1h);
  EXPECT_TRUE(service.ran({1, 2}));
});

//
const Sentence null("SaysOfATimerThatNeverWasThatItIsGone", [](Scenario& service) {
  EXPECT_EQ(service.cancel_null(), CancelResult::gone);
  service.schedule(1, 5ms);
  EXPECT_FALSE(service.is_null(1));
  EXPECT_EQ(service.cancel_null(), CancelResult::gone);
  service.pass(5ms);
  EXPECT_EQ(service.cancel_null(), CancelResult::gone);
  EXPECT_TRUE(service.ran({1}));
});

// C-02
const Sentence while_running("SaysOfATimerThatRunsThatItIsRunning", [](Scenario& service) {
  service.tolerate_delays();
  service.schedule(1, 5ms, [&] { service.sleep_for(1min); });
  service.pass(5ms);
  EXPECT_EQ(service.cancel(1), CancelResult::running);
  EXPECT_EQ(service.cancel(1), CancelResult::running);
  EXPECT_EQ(service.destroyed(1), 0);
  service.run_for(2min);
  EXPECT_EQ(service.cancel(1), CancelResult::gone);
  EXPECT_TRUE(service.ran({1}));
});

// A-61, C-02
const Sentence itself("TellsATaskThatItIsRunning", [](Scenario& service) {
  auto first = CancelResult::gone;
  auto second = CancelResult::gone;
  service.schedule(1, 5ms, [&] {
    first = service.cancel(1);
    second = service.cancel(1);
  });
  service.pass(5ms);
  EXPECT_EQ(first, CancelResult::running);
  EXPECT_EQ(second, CancelResult::running);
  EXPECT_EQ(service.cancel(1), CancelResult::gone);
  EXPECT_TRUE(service.ran({1}));
});

// C-04: ThreadSanitizer sees a fault here.
const Sentence visible("ShowsWhatATaskWroteOnceItIsGone", [](const ServiceKind& kind) {
  ManualClock clock;
  const auto service = kind.make(clock);
  int written = 0;  // not atomic
  std::atomic<bool> runs = false;
  const auto handle = service->schedule(5ms, [&] {
    runs.store(true, std::memory_order_relaxed);
    written = 42;
  });
  std::atomic<bool> has_moved = false;
  std::jthread mover([&] {
    clock.advance_by(5ms + service->max_lateness());
    has_moved = true;
  });
  auto result = CancelResult::running;
  while (result == CancelResult::running) {
    std::this_thread::yield();
    const bool is_too_late = has_moved;
    if (runs.load(std::memory_order_relaxed)) {
      result = service->cancel(handle);
    } else {
      ASSERT_FALSE(is_too_late) << "the task never started";
    }
  }
  ASSERT_EQ(result, CancelResult::gone);
  EXPECT_EQ(written, 42);
});

// D-14
const Sentence sibling("DoesNotRunWhatATaskOfTheSameDeadlineCancels", [](Scenario& service) {
  service.needs_serial();
  constexpr Id kTimers = 5;
  const auto cancel_others = [&](Id self) {
    for (Id id = 0; id < kTimers; ++id) {
      if (id == self) continue;
      EXPECT_EQ(service.cancel(id), CancelResult::cancelled);
    }
  };
  for (Id id = 0; id < kTimers; ++id) {
    service.schedule(id, 5ms, [cancel_others, id] { cancel_others(id); });
  }
  service.pass(5ms);
  EXPECT_EQ(service.log().size(), 1u);
});

// D-08
const Sentence subsets("CancelsAnySubsetOfEqualDeadlines", [](const ServiceKind& kind) {
  for (const Duration delay : {Duration(5ms), Duration(300ms), Duration(70s)}) {
    for (unsigned cancelled = 0; cancelled < 32; ++cancelled) {
      SCOPED_TRACE(testing::Message() << cancelled << " of those due at " << delay.count());
      Scenario service(kind);
      Ids expected;
      for (Id id = 0; id < 5; ++id) service.schedule(id, delay);
      for (Id id = 4; id >= 0; --id) {
        if (((cancelled >> id) & 1) != 0) {
          EXPECT_EQ(service.cancel(id), CancelResult::cancelled);
        } else {
          expected.push_back(id);
        }
      }
      service.schedule(5, delay);
      expected.push_back(5);
      service.pass(delay);
      EXPECT_TRUE(service.ran(expected));
    }
  }
});

// D-49
const Sentence wherever("CancelsATimerWhereverItHasCascadedTo", [](const ServiceKind& kind) {
  for (const Duration delay : kDelays) {
    for (const Duration moved : {delay / 2, delay * 9 / 10, delay - 1ns}) {
      SCOPED_TRACE(testing::Message() << delay.count() << " cancelled at " << moved.count());
      Scenario service(kind);
      for (Id id = 0; id < 5; ++id) service.schedule(id, delay);
      service.schedule(5, delay + 1ms);
      service.jump(moved);
      for (const Id id : {3, 0}) EXPECT_EQ(service.cancel(id), CancelResult::cancelled);
      service.pass(delay - moved + 1ms);
      EXPECT_TRUE(service.ran({1, 2, 4, 5}));
    }
  }
});

// C-10, D-78
const Sentence head("RunsTheNextTimerInTimeWhenTheFirstIsCancelled", [](Scenario& service) {
  service.schedule(1, 1s);
  service.schedule(2, 3s);
  service.schedule(3, 7s);
  service.settle();
  EXPECT_EQ(service.cancel(1), CancelResult::cancelled);
  service.pass(3s);
  EXPECT_TRUE(service.ran({2}));
  service.run_for(10s);
  EXPECT_TRUE(service.ran({2, 3}));
});

// C-10
const Sentence last("TakesANewTimerAfterItsLastWasCancelled", [](Scenario& service) {
  service.schedule(1, 5ms);
  service.settle();
  EXPECT_EQ(service.cancel(1), CancelResult::cancelled);
  EXPECT_EQ(service.pending(), 0u);
  service.run_for(1ms);
  service.schedule(2, 5ms);
  service.pass(5ms);
  service.run_for(1h);
  EXPECT_TRUE(service.ran({2}));
});

//
const Sentence stale("HarmsNoTimerByAHandleThatIsStale", [](Scenario& service) {
  service.schedule(1, 5ms);
  service.pass(5ms);
  for (Id id = 2; id < 100; ++id) {
    service.schedule(id, 5ms);
    EXPECT_EQ(service.cancel(1), CancelResult::gone);
    EXPECT_FALSE(service.same_handle(1, id));
    EXPECT_TRUE(service.same_handle(id, id));
  }
  service.pass(5ms);
  EXPECT_EQ(service.log().size(), 99u);
});

// so many timers may have the place of the first one that a count of 16 bits wraps. Under a
// sanitizer only a count of 8 bits wraps.
const Sentence stale_for_ever("KnowsAHandleAsStaleAfter65537Timers", [](const ServiceKind& kind) {
  constexpr int kTimers = conformance::share_of((1 << 16) + 1);
  ManualClock clock;
  const auto service = kind.make(clock);
  service->schedule(30min, [] {});  // so that the others wake nobody
  const auto first = service->schedule(1h, [] {});
  EXPECT_EQ(service->cancel(first), CancelResult::cancelled);
  for (int i = 0; i < kTimers; ++i) {
    const auto fresh = service->schedule(1h, [] {});
    ASSERT_FALSE(service->same(first, fresh)) << i;
    ASSERT_EQ(service->cancel(first), CancelResult::gone) << i;
    ASSERT_EQ(service->cancel(fresh), CancelResult::cancelled) << i;
    if (i % 256 == 0) clock.advance_by(1ms);
  }
});

// the task is destroyed in the call of `cancel`, and with it the handle that the call uses.
const Sentence own_handle("CancelsATimerByTheHandleThatItsTaskOwns", [](const ServiceKind& kind) {
  ManualClock clock;
  const auto service = kind.make(clock);
  auto owned = std::make_unique<AnyService::Handle>();
  AnyService::Handle& handle = *owned;
  handle = service->schedule(1h, [owned = std::move(owned)] {});
  EXPECT_EQ(service->cancel(handle), CancelResult::cancelled);
  EXPECT_EQ(service->pending(), 0u);
});

// C-23
const Sentence counts("CountsWhatIsPending", [](Scenario& service) {
  EXPECT_EQ(service.pending(), 0u);
  for (Id id = 0; id < 10; ++id) {
    service.schedule(id, id < 4 ? 1s : 1h);
    EXPECT_EQ(service.pending(), static_cast<std::size_t>(id) + 1);
  }
  for (const Id id : {5, 7, 9}) EXPECT_EQ(service.cancel(id), CancelResult::cancelled);
  EXPECT_EQ(service.pending(), 7u);
  service.pass(1s);
  EXPECT_EQ(service.pending(), 3u);
  service.pass(1h);
  EXPECT_EQ(service.pending(), 0u);
  EXPECT_EQ(service.log().size(), 7u);
});

}  // namespace
}  // namespace timers::service_conformance::about_cancel
