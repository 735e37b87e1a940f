/// Tasks and other threads may do all that the test may do, and tasks may take time.

#include <gtest/gtest.h>

#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

#include "impls/clocks/clock.hpp"
#include "tests/conformance/services/delays.hpp"
#include "tests/conformance/services/scenario.hpp"
#include "tests/conformance/services/sentence.hpp"

namespace timers::service_conformance::about_tasks {
namespace {

// C-12
const Sentence producers("LosesNoTimerOfManyThreads", [](Scenario& service) {
  constexpr Id kThreads = 4;
  constexpr Id kTimersOfThread = 250;
  {
    std::vector<std::jthread> threads;
    for (Id thread = 0; thread < kThreads; ++thread) {
      threads.emplace_back([&service, thread] {
        for (Id id = thread; id < kThreads * kTimersOfThread; id += kThreads) {
          service.schedule(id, 1s + id * 1ms);
        }
      });
    }
  }
  service.pass(3s);
  EXPECT_EQ(service.log().size(), static_cast<std::size_t>(kThreads * kTimersOfThread));
});

//
const Sentence schedules("LetsATaskScheduleOthers", [](Scenario& service) {
  service.schedule(1, 5ms, [&] {
    service.schedule(2, 5ms, [&] { service.schedule(3, 1h); });
    service.schedule(4, 51'200ms);
  });
  service.pass(5ms);
  EXPECT_TRUE(service.has_run(1));
  service.run_for(1min);
  EXPECT_TRUE(service.ran({1, 2, 4}));
  service.run_for(2h);
  EXPECT_TRUE(service.ran({1, 2, 3, 4}));
});

// A-57, D-43, D-47
const Sentence chain("RunsAChainOfTasksWithoutDelay", [](Scenario& service) {
  constexpr Id kTasks = 100;
  std::function<void(Id)> schedule_from = [&](Id id) {
    service.schedule(id, 0ns, [&schedule_from, id] {
      if (id + 1 < kTasks) schedule_from(id + 1);
    });
  };
  schedule_from(0);
  for (Id id = 0; id < kTasks; ++id) service.pass(1ms);
  EXPECT_EQ(service.log().size(), static_cast<std::size_t>(kTasks));
});

//
const Sentence cancels("LetsATaskCancelOthers", [](Scenario& service) {
  auto result = CancelResult::gone;
  service.schedule(1, 5ms, [&] { result = service.cancel(2); });
  service.schedule(2, 1h);
  service.schedule(3, 1h);
  service.pass(5ms);
  EXPECT_EQ(result, CancelResult::cancelled);
  service.pass(1h);
  EXPECT_TRUE(service.ran({1, 3}));
});

//
const Sentence asks("DoesNotCountATaskThatRuns", [](Scenario& service) {
  std::size_t pending = 99;
  service.schedule(1, 5ms, [&] { pending = service.pending(); });
  service.schedule(2, 1h);
  service.schedule(3, 2h);
  service.pass(5ms);
  EXPECT_EQ(pending, 2u);
  EXPECT_TRUE(service.ran({1}));
});

/// Calls the service from another thread, and returns when the call has returned. If the call has
/// to wait for a lock of the service, this never happens.
void call_from_another_thread(Scenario& service, Id fresh, Id pending) {
  std::thread other([&] {
    service.schedule(fresh, 1ms);
    service.schedule(fresh + 1, 10h);
    EXPECT_EQ(service.cancel(fresh + 1), CancelResult::cancelled);
    EXPECT_EQ(service.cancel(pending), CancelResult::cancelled);
    EXPECT_EQ(service.cancel_null(), CancelResult::gone);
    EXPECT_LE(service.pending(), 2u);
  });
  other.join();
}

// C-17
const Sentence in_a_task("RunsATaskWithoutALock", [](Scenario& service) {
  service.schedule(1, 5ms, [&] { call_from_another_thread(service, 10, 2); });
  service.schedule(2, 1h);
  service.pass(5ms);
  service.pass(1ms);
  EXPECT_TRUE(service.ran({1, 10}));
});

// A-71, C-17
const Sentence in_a_destructor("DestroysATaskThatRanWithoutALock", [](Scenario& service) {
  service.schedule(1, 5ms);
  service.schedule(2, 1h);
  service.on_destruction_of(1, [&] { call_from_another_thread(service, 10, 2); });
  service.pass(5ms);
  service.pass(1ms);
  EXPECT_TRUE(service.ran({1, 10}));
});

// A-71, C-17
const Sentence in_a_cancel("DestroysATaskThatIsCancelledWithoutALock", [](Scenario& service) {
  service.schedule(1, 5ms);
  service.schedule(2, 1h);
  service.on_destruction_of(1, [&] { call_from_another_thread(service, 10, 2); });
  EXPECT_EQ(service.cancel(1), CancelResult::cancelled);
  service.pass(1ms);
  EXPECT_TRUE(service.ran({10}));
});

const Sentence where_it_dies("DestroysATaskOnTheThreadOfItsRun", [](Scenario& service) {
  std::thread::id of_run;
  std::thread::id of_death;
  service.schedule(1, 5ms, [&] { of_run = std::this_thread::get_id(); });
  service.on_destruction_of(1, [&] { of_death = std::this_thread::get_id(); });
  service.pass(5ms);
  EXPECT_TRUE(service.ran({1}));
  EXPECT_EQ(of_death, of_run);
});

const Sentence in_the_call("DestroysACancelledTaskOnTheThreadOfTheCall", [](Scenario& service) {
  std::thread::id of_death;
  service.schedule(1, 1h);
  service.schedule(2, 2h);
  service.on_destruction_of(1, [&] { of_death = std::this_thread::get_id(); });
  EXPECT_EQ(service.cancel(1), CancelResult::cancelled);
  EXPECT_EQ(of_death, std::this_thread::get_id());
});

//
const Sentence last_handle("LetsATaskHaveTheLastHandleOfItsTimer", [](const ServiceKind& kind) {
  ManualClock clock;
  auto service = kind.make(clock);
  const auto schedule = [&](Duration delay) {
    const auto handle = std::make_shared<AnyService::Handle>();
    *handle = service->schedule(delay, [handle] {});
    return std::weak_ptr(handle);
  };
  const std::weak_ptr runs = schedule(5ms);
  const std::weak_ptr never_runs = schedule(1h);
  clock.run_for(5ms + service->max_lateness());
  EXPECT_TRUE(runs.expired());
  EXPECT_FALSE(never_runs.expired());
  EXPECT_EQ(service->pending(), 1u);
  service.reset();
  EXPECT_TRUE(never_runs.expired());
});

//
const Sentence dying("LetsATaskCallInAsItDies", [](Scenario& service) {
  constexpr Id kTimers = 20;
  std::atomic<int> calls = 0;
  for (Id id = 0; id < kTimers; ++id) {
    service.schedule(id, 5ms + id * 1ms);
    service.on_destruction_of(id, [&service, &calls, id] {
      ++calls;
      if (id % 5 == 0 && id > 0) service.cancel(id - 1);
      service.schedule(100 + id, 1h);
      service.cancel(100 + id);
    });
  }
  for (Id id = kTimers - 5; id < kTimers; id += 2) {
    EXPECT_EQ(service.cancel(id), CancelResult::cancelled);
  }
  service.pass(1s);
  EXPECT_EQ(calls, kTimers);
  EXPECT_EQ(service.pending(), 0u);
});

// A-72, C-25, B-N-32
const Sentence slow("LosesNothingBehindASlowTask", [](Scenario& service) {
  service.tolerate_delays();
  Ids all;
  for (Id id = 0; id < 10; ++id) {
    service.schedule(id, 1s + id * 1ms, [&] { service.sleep_for(10s); });
    all.push_back(id);
  }
  for (Id id = 10; id < 20; ++id) {
    service.schedule(id, id * 1s);
    all.push_back(id);
  }
  service.run_for(10min);
  EXPECT_TRUE(service.ran(all));
  service.schedule(20, 5ms);
  service.pass(5ms);
  EXPECT_TRUE(service.has_run(20));
});

}  // namespace
}  // namespace timers::service_conformance::about_tasks
