/// How services use memory, and what they do when it runs out.

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <limits>
#include <memory>
#include <new>
#include <utility>
#include <vector>

#include "tests/conformance/allocations.hpp"
#include "tests/conformance/sanitizers.hpp"
#include "tests/conformance/services/delays.hpp"
#include "tests/conformance/services/scenario.hpp"
#include "tests/conformance/services/sentence.hpp"

namespace timers::service_conformance::about_memory {
namespace {

using conformance::live_bytes_of_all_threads;
using conformance::Ration;
using conformance::Rationing;

/// The memory that a service needs for so many pending timers.
std::ptrdiff_t bytes_of_pending(const ServiceKind& kind, std::size_t timers) {
  ManualClock clock;
  std::vector<AnyService::Handle> handles(timers);
  const std::ptrdiff_t before = live_bytes_of_all_threads();
  const auto service = kind.make(clock);
  for (AnyService::Handle& handle : handles) handle = service->schedule(1h, [] {});
  return live_bytes_of_all_threads() - before;
}

// A-101, C-30, D-10, D-24, D-35, D-62
const Sentence bounded("ForgetsWhatIsCancelled", [](const ServiceKind& kind) {
  if (!kind.promises.forgets_cancelled) throw Skip{"it keeps what is cancelled"};
  constexpr int kTimers = conformance::kSanitized ? 100'000 : 400'000;
  // How many cancelled timers are still in memory depends on when threads run: the service wakes
  // them only when there are many. So the bound does not depend on kTimers. Under a sanitizer the
  // test is shorter, and finds less.
  const std::ptrdiff_t enough = bytes_of_pending(kind, 50'000);
  const std::ptrdiff_t before = live_bytes_of_all_threads();
  ManualClock clock;
  const auto service = kind.make(clock);
  std::ptrdiff_t most = 0;
  int cancelled = 0;
  for (int i = 0; i < kTimers; ++i) {
    const auto handle = service->schedule(1h, [] {});
    most = std::max(most, live_bytes_of_all_threads() - before);
    cancelled += service->cancel(handle) == CancelResult::cancelled;
    if (i % 1000 == 0) clock.advance_by(1s);
  }
  EXPECT_EQ(cancelled, kTimers);
  EXPECT_EQ(service->pending(), 0u);
  EXPECT_GT(most, 0);
  EXPECT_LE(most, enough) << "bytes: cancelled timers take more than 50,000 pending ones";
});

const Sentence allocations("AllocatesNoMoreOftenToScheduleThanItPromises",
                           [](const ServiceKind& kind) {
                             constexpr std::uint64_t kTimers = 1000;
                             constexpr std::uint64_t kEnough =
                                 std::numeric_limits<std::uint64_t>::max();
                             ManualClock clock;
                             const auto service = kind.make(clock);
                             for (const bool has_grown : {false, true}) {
                               std::vector<AnyService::Handle> handles(kTimers);
                               Ration ration{kEnough};
                               for (AnyService::Handle& handle : handles) {
                                 const Rationing rationing(&ration);
                                 handle = service->schedule(10ms, [] {});
                               }
                               if (has_grown) {
                                 EXPECT_LE(kEnough - ration.left,
                                           kTimers * kind.promises.max_allocations);
                               }
                               clock.run_for(10ms + service->max_lateness());
                               EXPECT_EQ(service->pending(), 0u);
                             }
                           });

/// More timers than a service may have spare memory for, e.g. in a pool.
constexpr std::size_t kMoreThanThereIsRoomFor = 2'000;

/// Schedules and runs timers while one allocation of the thread that schedules fails.
void live_with_a_failure(const ServiceKind& kind, Ration& ration) {
  std::atomic<std::size_t> ran = 0;
  std::size_t accepted = 0;
  std::size_t refused = 0;
  ManualClock clock;
  const auto service = kind.make(clock);
  for (std::size_t i = 0; i < kMoreThanThereIsRoomFor; ++i) service->schedule(1h, [] {});
  for (int i = 0; i < 300; ++i) {
    TimerTask task = [&ran] { ++ran; };
    try {
      const Rationing rationing(&ration);
      service->schedule(1ms + i % 7 * 1s, std::move(task));
      ++accepted;
    } catch (const std::bad_alloc&) {
      ++refused;
    }
    ASSERT_EQ(service->pending(), kMoreThanThereIsRoomFor + accepted);
  }
  ASSERT_LE(refused, ration.refused ? 1u : 0u);
  clock.advance_by(10s + service->max_lateness());
  ASSERT_EQ(ran, accepted);
}

/// Calls `live(ration)` again and again. In each call another allocation fails, until none is left
/// to fail or the test has failed. Returns how many failed.
template <class Live>
std::uint64_t fail_each_allocation(Live live) {
  for (std::uint64_t failures = 0;; ++failures) {
    SCOPED_TRACE(testing::Message() << "when allocation " << failures << " fails");
    Ration ration{failures};
    live(ration);
    if (testing::Test::HasFailure() || !ration.refused) return failures;
  }
}

//
const Sentence out_of_memory("IsAsItWasWhenMemoryRunsOut", [](const ServiceKind& kind) {
  const std::uint64_t failures =
      fail_each_allocation([&](Ration& ration) { live_with_a_failure(kind, ration); });
  if (failures == 0 && !testing::Test::HasFailure())
    throw Skip{"it allocates no memory to schedule"};
});

/// Re-arms timers while one allocation of the thread that re-arms them fails.
void rearm_with_a_failure(const ServiceKind& kind, Ration& ration) {
  constexpr std::size_t kTimers = 300;
  std::atomic<std::size_t> ran = 0;
  std::size_t nearer = 0;
  std::size_t refused = 0;
  ManualClock clock;
  const auto service = kind.make(clock);
  std::vector<AnyService::Handle> handles;
  for (std::size_t i = 0; i < kTimers; ++i) {
    handles.push_back(service->schedule(1h, [&ran] { ++ran; }));
    // Half of the timers have arrived in the service when they are re-armed; the others have not.
    if (i == kTimers / 2) clock.settle();
  }
  // Those that have not arrived come first: a re-arm wakes the service, and then they arrive.
  for (std::size_t i = kTimers; i-- > 0;) {
    const bool comes_nearer = i % 3 != 0;
    try {
      const Rationing rationing(&ration);
      ASSERT_TRUE(service->rearm(handles[i], comes_nearer ? 1ms + i % 7 * 1s : 2h));
      nearer += comes_nearer ? 1 : 0;
    } catch (const std::bad_alloc&) {
      ++refused;
    }
  }
  ASSERT_LE(refused, ration.refused ? 1u : 0u);
  clock.advance_by(10s + service->max_lateness());
  ASSERT_EQ(ran, nearer);
  ASSERT_EQ(service->pending(), kTimers - nearer);
  clock.advance_by(2h + service->max_lateness());
  ASSERT_EQ(ran, kTimers);
}

//
const Sentence rearm_without_memory("KeepsTheDeadlineIfMemoryRunsOutInARearm",
                                    [](const ServiceKind& kind) {
                                      needs_rearm(kind);
                                      const std::uint64_t failures =
                                          fail_each_allocation([&](Ration& ration) {
                                            rearm_with_a_failure(kind, ration);
                                          });
                                      if (failures == 0 && !testing::Test::HasFailure())
                                        throw Skip{"it allocates no memory to re-arm"};
                                    });

/// Schedules, re-arms and cancels timers while one allocation of the service's threads fails.
/// Returns false if there was none to fail.
bool live_with_a_failure_of_its_own(const ServiceKind& kind, std::uint64_t allowed) {
  std::atomic<std::size_t> ran = 0;
  std::size_t cancelled = 0;
  std::vector<AnyService::Handle> handles;
  ManualClock clock;
  const auto service = kind.make(clock, {.on_error = [](const std::exception_ptr&) {}});
  // Lets the clock allocate memory in advance, for as many threads as wait on it at once.
  for (int i = 0; i < 16; ++i) service->schedule(1ms, [&clock] { clock.sleep_for(1ms); });
  clock.run_for(1s + service->max_lateness());
  bool refused = false;
  {
    const conformance::RationingOthers rationing(allowed);
    for (std::size_t i = 0; i < kMoreThanThereIsRoomFor; ++i) {
      handles.push_back(service->schedule(1ms + i % 11 * 1s, [&ran] { ++ran; }));
      const auto& other = handles[i / 2];
      if (i % 5 == 0) cancelled += service->cancel(other) == CancelResult::cancelled;
      if (kind.can_rearm && i % 3 == 0) service->rearm(other, 1ms + i % 13 * 1s);
      if (i % 100 == 0) clock.advance_by(1ms);
    }
    clock.run_for(5s);
    refused = rationing.refused();
  }
  clock.run_for(20s + 2 * service->max_lateness());
  EXPECT_EQ(ran + cancelled, kMoreThanThereIsRoomFor);
  EXPECT_EQ(service->pending(), 0u);
  return refused;
}

// D-88: the service can report the failure to nobody. The timer may be late, but must not be lost.
const Sentence own_thread("LosesNoTimerIfItsOwnThreadHasNoMemory", [](const ServiceKind& kind) {
  std::uint64_t failures = 0;
  while (live_with_a_failure_of_its_own(kind, failures)) {
    if (testing::Test::HasFailure()) FAIL() << "when allocation " << failures << " fails";
    ++failures;
  }
  if (failures == 0 && !testing::Test::HasFailure()) throw Skip{"its threads allocate no memory"};
});

/// A service with 100 pending timers and 30 cancelled ones. Counts how many of their tasks die.
class Filled {
 public:
  static constexpr int kPending = 100;

  explicit Filled(const ServiceKind& kind) : service(kind.make(clock)) {
    for (int i = 0; i < kPending; ++i) service->schedule(1s + i % 7 * 1h, task());
    for (int i = 0; i < 30; ++i) service->cancel(service->schedule(1h, task()));
  }

  TimerTask task() {
    return [dies = std::shared_ptr<int>(nullptr, [this](int*) { ++destroyed; })] {};
  }

  std::atomic<int> destroyed = 0;
  ManualClock clock;
  std::unique_ptr<AnyService> service;
};

/// Stops a service while one allocation of the thread that stops it fails.
void stop_with_a_failure(const ServiceKind& kind, Ration& ration) {
  Filled filled(kind);
  const auto& service = filled.service;
  std::vector<TimerTask> tasks;
  try {
    const Rationing rationing(&ration);
    tasks = service->stop();
  } catch (const std::bad_alloc&) {
    EXPECT_THROW(service->schedule(1ms, [] {}), RejectedTask);
    filled.clock.advance_by(10h + service->max_lateness());
    EXPECT_EQ(filled.destroyed, 30);
    tasks = service->stop();
  }
  EXPECT_EQ(tasks.size(), std::size_t{Filled::kPending});
  EXPECT_EQ(service->pending(), 0u);
}

//
const Sentence stop_without_memory("LosesNoTaskIfMemoryRunsOutInAStop",
                                   [](const ServiceKind& kind) {
                                     const std::uint64_t failures =
                                         fail_each_allocation([&](Ration& ration) {
                                           stop_with_a_failure(kind, ration);
                                         });
                                     if (failures == 0 && !testing::Test::HasFailure()) {
                                       throw Skip{"it allocates no memory to stop"};
                                     }
                                   });

const Sentence end_without_memory("NeedsNoMemoryToBeDestroyed", [](const ServiceKind& kind) {
  constexpr std::uint64_t kEnough = std::numeric_limits<std::uint64_t>::max();
  Filled filled(kind);
  Ration ration{kEnough};
  {
    const Rationing rationing(&ration);
    filled.service.reset();
  }
  EXPECT_EQ(kEnough - ration.left, 0u);
  EXPECT_EQ(filled.destroyed, Filled::kPending + 30);
});

}  // namespace
}  // namespace timers::service_conformance::about_memory
