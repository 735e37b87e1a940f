/// What DelayQueueTimer does beyond the contract of all services: the end of its time, its memory,
/// and its threads.

#include "impls/services/delay_queue_timer.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <stdexcept>
#include <system_error>
#include <vector>

#include "impls/clocks/clock.hpp"
#include "impls/timer_service.hpp"
#include "tests/conformance/allocations.hpp"
#include "tests/conformance/sanitizers.hpp"
#include "tests/services/run_log.hpp"
#include "tests/services/scarce_clock.hpp"

namespace timers {
namespace {

using namespace std::chrono_literals;

static_assert(TimerService<DelayQueueTimer<ManualClock>>);
static_assert(TimerService<DelayQueueTimer<SteadyClock>>);

void do_nothing() {}

TEST(DelayQueueTimer, NeverRunsATaskWithoutEnd) {
  ManualClock clock(Instant{1s});
  DelayQueueTimer timer(clock);
  RunLog log(clock);
  const auto handle = timer.schedule(Duration::max(), log.task(1));
  clock.run_until(Instant::max());
  EXPECT_EQ(log.size(), 0u);
  EXPECT_EQ(timer.pending(), 1u);
  EXPECT_EQ(timer.cancel(handle), CancelResult::cancelled);
}

// A-101, D-62
TEST(DelayQueueTimer, KeepsLittleMemoryForWhatWasCancelled) {
  constexpr int kTimers = conformance::share_of(1'000'000);
  ManualClock clock;
  DelayQueueTimer timer(clock);
  int cancelled = 0;
  const conformance::AllocationMeter meter;
  for (int i = 0; i < kTimers; ++i) {
    cancelled += timer.cancel(timer.schedule(1h, do_nothing)) == CancelResult::cancelled;
  }
  EXPECT_EQ(cancelled, kTimers);
  EXPECT_LT(meter.peak_bytes(), 64 * 1024);
  EXPECT_EQ(timer.pending(), 0u);
}

TEST(DelayQueueTimer, RunsTheRestInOrderWhenMostAreCancelled) {
  constexpr int kTimers = 1000;
  ManualClock clock;
  DelayQueueTimer timer(clock);
  RunLog log(clock);
  std::vector<decltype(timer)::Handle> handles;
  std::vector<Ran> rest;
  for (int i = 0; i < kTimers; ++i) {
    const int number = 1 + i * 389 % kTimers;  // each number once, in a mixed order
    const auto handle = timer.schedule(number * 1ms, log.task(number));
    if (i % 10 == 0) {
      rest.push_back({number, number * 1ms});
    } else {
      handles.push_back(handle);
    }
  }
  for (const auto& handle : handles) EXPECT_EQ(timer.cancel(handle), CancelResult::cancelled);
  EXPECT_EQ(timer.pending(), 100u);
  std::sort(rest.begin(), rest.end(), [](const Ran& a, const Ran& b) { return a.at < b.at; });
  clock.run_until(Instant{2s});
  EXPECT_EQ(log.runs(), rest);
}

TEST(DelayQueueTimer, RefusesToHaveNoThread) {
  ManualClock clock;
  EXPECT_THROW(DelayQueueTimer(clock, {.threads = 0}), std::invalid_argument);
}

TEST(DelayQueueTimer, EndsTheThreadsItHasWhenOneIsNotToBeHad) {
  for (const int threads : {0, 2}) {
    ScarceClock clock(threads);
    EXPECT_THROW((DelayQueueTimer<ScarceClock>(clock, {.threads = 3})), std::system_error);
  }
}

TEST(DelayQueueTimer, WakesOneThreadForATask) {
  ManualClock clock;
  DelayQueueTimer timer(clock, {.threads = 8});
  RunLog log(clock);
  clock.settle();
  for (int i = 1; i <= 100; ++i) timer.schedule(i * 1ms, log.task(i));
  clock.run_until(Instant{1s});
  EXPECT_EQ(log.size(), 100u);
  EXPECT_EQ(clock.wakes(), 200u);  // one for the thread that runs it, one for the next in line,
                                   // which then watches the next deadline
}

}  // namespace
}  // namespace timers
