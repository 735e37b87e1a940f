/// How a service ends, and what happens to its tasks and handles.

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <memory>
#include <optional>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

#include "impls/clocks/clock.hpp"
#include "tests/conformance/services/delays.hpp"
#include "tests/conformance/services/scenario.hpp"
#include "tests/conformance/services/sentence.hpp"

namespace timers::service_conformance::about_stop {
namespace {

// A-82, C-19, B-N-23
const Sentence returns("ReturnsTheTasksThatNeverRanWhenItIsStopped", [](Scenario& service) {
  service.schedule(1, 1ms);
  for (Id id = 2; id < 6; ++id) service.schedule(id, id * 1h);
  service.schedule(6, 1h);
  service.schedule(7, 1h);
  service.pass(1ms);
  EXPECT_EQ(service.cancel(6), CancelResult::cancelled);
  EXPECT_EQ(service.stop(), (Ids{2, 3, 4, 5, 7}));
  EXPECT_EQ(service.pending(), 0u);
  EXPECT_TRUE(service.ran({1}));
});

//
const Sentence every_distance(
    "ReturnsTasksOfAllDelaysWhenItIsStopped", [](const ServiceKind& kind) {
      for (const Duration moved : {Duration(0), Duration(150ms), Duration(1min)}) {
        SCOPED_TRACE(moved.count());
        Scenario service(kind);
        Ids late;
        Id id = 0;
        for (const Duration delay : kDelays) {
          service.schedule(++id, delay);
          if (delay > moved + service.lateness()) late.push_back(id);
        }
        service.run_for(moved + service.lateness());
        Ids rest = service.stop();
        for (const Id ran : service.log()) rest.push_back(ran);
        std::sort(rest.begin(), rest.end());
        EXPECT_EQ(rest.size(), kDelays.size());
        EXPECT_TRUE(std::includes(rest.begin(), rest.end(), late.begin(), late.end()));
        EXPECT_GE(late.size(), 1u);
      }
    });

// C-18: a timer that was scheduled just before the stop is not lost.
const Sentence unseen("ReturnsWhatWasScheduledJustBefore", [](const ServiceKind& kind) {
  for (int i = 0; i < 100; ++i) {
    Scenario service(kind);
    service.schedule(1, 1h);
    service.schedule(2, 1s);
    ASSERT_EQ(service.stop(), (Ids{1, 2}));
  }
});

// B-N-25, C-21
const Sentence stopped_twice("ReturnsNothingWhenItIsStoppedAgain", [](Scenario& service) {
  service.schedule(1, 5ms);
  EXPECT_EQ(service.stop(), (Ids{1}));
  EXPECT_EQ(service.stop(), Ids{});
  EXPECT_EQ(service.stop(), Ids{});
});

// B-N-25, C-21
const Sentence unused("MayBeStoppedBeforeAnything", [](const ServiceKind& kind) {
  ManualClock clock;
  EXPECT_EQ(kind.make(clock)->pending(), 0u);
  const auto service = kind.make(clock);
  EXPECT_TRUE(service->stop().empty());
  EXPECT_TRUE(service->stop().empty());
  EXPECT_THROW(service->schedule(1ms, [] {}), RejectedTask);
});

// B-N-26, C-21
const Sentence by_a_task("RefusesToBeStoppedByItsTaskAndGoesOn", [](Scenario& service) {
  service.schedule(1, 5ms, [&] { EXPECT_THROW(service.stop(), std::logic_error); });
  service.schedule(2, 1h);
  service.pass(5ms);
  EXPECT_TRUE(service.ran({1}));
  EXPECT_EQ(service.pending(), 1u);
  service.schedule(3, 5ms);
  service.pass(1h);
  EXPECT_TRUE(service.ran({1, 2, 3}));
});

// A-71, B-N-26, C-21
const Sentence by_a_dying_task("RefusesToBeStoppedByATaskThatDies", [](Scenario& service) {
  bool refused = false;
  service.schedule(1, 5ms);
  service.schedule(2, 1h);
  service.on_destruction_of(1, [&] {
    EXPECT_THROW(service.stop(), std::logic_error);
    refused = true;
  });
  service.pass(5ms);
  EXPECT_TRUE(refused);
  EXPECT_EQ(service.pending(), 1u);
  service.pass(1h);
  EXPECT_TRUE(service.ran({1, 2}));
});

// A-71, C-21
const Sentence by_a_cancelled_task("IsStoppedByATaskThatDiesInACancel", [](Scenario& service) {
  Ids returned;
  service.schedule(1, 1h);
  service.schedule(2, 1h);
  service.on_destruction_of(1, [&] { returned = service.stop(); });
  EXPECT_EQ(service.cancel(1), CancelResult::cancelled);
  EXPECT_EQ(returned, (Ids{2}));
  EXPECT_EQ(service.pending(), 0u);
});

const Sentence nothing_after("StartsNoTaskOnceItIsStopped", [](Scenario& service) {
  Id id = 0;
  for (const Duration delay : kDelays) service.schedule(++id, delay);
  const Ids returned = service.stop();
  EXPECT_EQ(returned.size(), kDelays.size());
  const std::size_t wakes = service.wakes();
  service.jump(2h);
  service.run_for(24h);
  EXPECT_TRUE(service.ran({}));
  EXPECT_EQ(service.wakes(), wakes);
});

// D-13, B-N-23
const Sentence gone("SaysOfWhatItReturnedThatItIsGone", [](Scenario& service) {
  service.schedule(1, 5ms);
  service.schedule(2, 1h);
  service.schedule(3, 1h);
  service.pass(5ms);
  EXPECT_EQ(service.cancel(3), CancelResult::cancelled);
  EXPECT_EQ(service.stop(), (Ids{2}));
  for (const Id id : {1, 2, 3}) EXPECT_EQ(service.cancel(id), CancelResult::gone);
  EXPECT_EQ(service.cancel_null(), CancelResult::gone);
});

// C-22
const Sentence waits("WaitsForTheTaskThatRunsWhenItIsStopped", [](Scenario& service) {
  service.tolerate_delays();
  service.schedule(1, 5ms, [&] { service.sleep_for(2min); });
  service.schedule(2, 10h);
  service.pass(5ms);
  EXPECT_TRUE(service.ran({1}));
  std::optional<Ids> returned;
  // All is quiet when the thread that stops the service waits, or has returned.
  ManualClock::Thread stopper(service.clock(), [&] { returned = service.stop(); });
  service.clock().settle();
  EXPECT_FALSE(returned.has_value()) << "stop returned while a task ran";
  EXPECT_THROW(service.schedule(3, 10h), RejectedTask);
  service.clock().run_for(3min);
  stopper.join();
  EXPECT_EQ(returned, (Ids{2}));
  EXPECT_EQ(service.cancel(1), CancelResult::gone);
});

// C-22
const Sentence destructor_waits("WaitsForTheTaskThatRunsWhenItIsDestroyed",
                                [](const ServiceKind& kind) {
                                  ManualClock clock;
                                  auto service = kind.make(clock);
                                  bool over = false;
                                  service->schedule(5ms, [&] {
                                    clock.sleep_for(2min);
                                    over = true;
                                  });
                                  clock.run_for(5ms + service->max_lateness());
                                  bool destroyed = false;
                                  ManualClock::Thread destroyer(clock, [&] {
                                    service.reset();
                                    destroyed = true;
                                  });
                                  clock.settle();
                                  EXPECT_FALSE(destroyed)
                                      << "the destructor returned while a task ran";
                                  clock.run_for(3min);
                                  destroyer.join();
                                  EXPECT_TRUE(over);
                                });

// Thread-local objects are destroyed at the end of their thread.
const Sentence threads("EndsTheThreadsOfItsTasksWhenItIsStopped", [](const ServiceKind& kind) {
  static std::atomic<int> alive = 0;
  struct OfThread {
    OfThread() { ++alive; }
    ~OfThread() { --alive; }
  };
  ManualClock clock;
  const auto service = kind.make(clock);
  for (int i = 0; i < 10; ++i) {
    service->schedule(5ms, [&clock] {
      thread_local const OfThread of_thread;
      clock.sleep_for(1s);
    });
  }
  clock.run_for(1min);
  EXPECT_GT(alive, 0);
  service->stop();
  EXPECT_EQ(alive, 0);
});

// C-19: this holds also for tasks that are due, and wait for the task that runs.
const Sentence overdue("RunsOrReturnsEachTaskThatIsDueWhenItIsStopped", [](Scenario& service) {
  service.tolerate_delays();
  Ids all;
  for (Id id = 0; id < 20; ++id) {
    service.schedule(id, 5ms, [&] { service.sleep_for(1min); });
    all.push_back(id);
  }
  service.pass(5ms);
  service.pass(5s);
  Ids settled;
  ManualClock::Thread stopper(service.clock(), [&] { settled = service.stop(); });
  service.clock().run_for(1h);
  stopper.join();
  for (const Id id : service.log()) settled.push_back(id);
  std::sort(settled.begin(), settled.end());
  EXPECT_EQ(settled, all);
});

// C-19: of such a timer a cancel may say that it is gone, if the stop has its task already.
const Sentence meanwhile("CancelsOrReturnsATimerWhileAStopWaits", [](const ServiceKind& kind) {
  constexpr std::size_t kTimers = 10;
  ManualClock clock;
  std::vector<int> ends(kTimers);  // how often each timer was cancelled or returned
  const auto service = kind.make(clock);
  service->schedule(5ms, [&] { clock.sleep_for(2min); });
  std::vector<AnyService::Handle> handles;
  for (std::size_t i = 0; i < kTimers; ++i) {
    handles.push_back(service->schedule(10h, [&ends, i] { ++ends[i]; }));
  }
  clock.run_for(5ms + service->max_lateness());
  std::vector<TimerTask> returned;
  // All is quiet when the thread that stops the service waits.
  ManualClock::Thread stopper(clock, [&] { returned = service->stop(); });
  clock.settle();
  for (std::size_t i = 0; i < kTimers; i += 2) {
    if (service->cancel(handles[i]) == CancelResult::cancelled) ++ends[i];
  }
  clock.run_for(3min);
  stopper.join();
  for (TimerTask& task : returned) {
    ASSERT_FALSE(task == nullptr) << "stop returned the task of a timer that was cancelled";
    task();
  }
  EXPECT_EQ(ends, std::vector<int>(kTimers, 1));
  EXPECT_EQ(service->pending(), 0u);
});

// C-21
const Sentence by_another("LetsATaskStopAnotherService", [](const ServiceKind& kind) {
  ManualClock clock;
  const auto one = kind.make(clock);
  const auto other = kind.make(clock);
  std::size_t returned = 0;
  other->schedule(1h, [] {});
  one->schedule(5ms, [&] { EXPECT_NO_THROW(returned = other->stop().size()); });
  clock.run_for(5ms + one->max_lateness());
  EXPECT_EQ(returned, 1u);
});

// C-21
const Sentence at_once("IsStoppedOnceByTwoThreads", [](const ServiceKind& kind) {
  for (int i = 0; i < 100; ++i) {
    Scenario service(kind);
    for (Id id = 0; id < 10; ++id) service.schedule(id, 1h + id * 1ms);
    Ids one;
    Ids other;
    std::thread stopper([&] { one = service.stop(); });
    other = service.stop();
    stopper.join();
    one.insert(one.end(), other.begin(), other.end());
    std::sort(one.begin(), one.end());
    ASSERT_EQ(one, (Ids{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}));
  }
});

//
const Sentence destroyed("DestroysWhatNeverRan", [](Scenario& service) {
  Id id = 0;
  for (const Duration delay : kDelays) service.schedule(++id, delay);
  EXPECT_EQ(service.cancel(id), CancelResult::cancelled);
  service.destroy_service();
  for (; id > 0; --id) EXPECT_EQ(service.destroyed(id), 1);
  EXPECT_TRUE(service.ran({}));
});

// C-17, C-21
const Sentence dies_with_it("LetsATaskThatDiesWithItCallIn", [](const ServiceKind& kind) {
  constexpr int kTimers = 10;
  ManualClock clock;
  auto service = kind.make(clock);
  AnyService* const dying = service.get();
  std::vector<AnyService::Handle> handles;
  int dead = 0;
  const auto call_in = [&, dying](int*) {
    ++dead;
    for (const AnyService::Handle& handle : handles) {
      if (kind.can_rearm) {
        EXPECT_FALSE(dying->rearm(handle, 1s));
      }
      dying->cancel(handle);
    }
    EXPECT_THROW(dying->schedule(1h, [] {}), RejectedTask);
    EXPECT_LE(dying->pending(), std::size_t{kTimers});
    EXPECT_NO_THROW(dying->stop());
  };
  for (int i = 0; i < kTimers; ++i) {
    std::shared_ptr<int> calls_in(nullptr, call_in);
    // Half of the timers have arrived in the service when it is destroyed. The others come after
    // them, and wake nobody.
    const bool arrives = i < kTimers / 2;
    const Duration delay = arrives ? 1h - i * 1min : 2h;
    handles.push_back(service->schedule(delay, [held = std::move(calls_in)] {}));
    if (arrives) clock.settle();
  }
  service.reset();
  EXPECT_EQ(dead, kTimers);
});

// C-29
const Sentence outlived("LeavesHandlesThatOutliveIt", [](const ServiceKind& kind) {
  ManualClock clock;
  auto service = kind.make(clock);
  const auto in_use = std::make_shared<int>();
  const auto schedule = [&](Duration delay) {
    return service->schedule(delay, [in_use] { ++*in_use; });
  };
  std::vector<AnyService::Handle> handles = {service->null_handle(), schedule(1ms), schedule(1h),
                                             schedule(2h), schedule(3h)};
  clock.run_for(service->max_lateness() + 1ms);
  EXPECT_EQ(service->cancel(handles[2]), CancelResult::cancelled);
  EXPECT_EQ(*in_use, 1);
  service.reset();
  EXPECT_EQ(in_use.use_count(), 1) << "a task outlived the service";
  auto copies = handles;
  handles.clear();
  copies.clear();
});

}  // namespace
}  // namespace timers::service_conformance::about_stop
