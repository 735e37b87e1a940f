/// What ScheduledThreadPool does with tasks that are cancelled or removed, and what it still holds
/// of them: as in java.util.concurrent.ScheduledThreadPoolExecutor.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <optional>
#include <vector>

#include "impls/clocks/clock.hpp"
#include "impls/services/scheduled_thread_pool.hpp"
#include "tests/services/run_log.hpp"
#include "tests/services/tasks.hpp"

namespace timers {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::IsEmpty;

using Pool = ScheduledThreadPool<ManualClock>;

constexpr Instant at(Duration time) { return Instant(time); }

// B-S-13
TEST(ScheduledThreadPool, TakesACancelledTaskOutAtOnce) {
  ManualClock clock;
  Pool pool(clock);
  const auto handle = pool.schedule(1s, [] {});
  const auto future = pool.submit(1s, [] {});
  EXPECT_EQ(pool.queue_size(), 2U);
  pool.cancel(handle);
  future.cancel();
  EXPECT_EQ(pool.queue_size(), 0U);
  EXPECT_EQ(pool.purge(), 0U);
}

// B-S-13
TEST(ScheduledThreadPool, LeavesACancelledTaskInTheQueueAsInTheJdk) {
  ManualClock clock;
  RunLog log(clock);
  Pool pool(clock, Pool::as_in_jdk());
  const auto handle = pool.schedule(1s, log.task(1));
  const auto future = pool.submit(1s, log.task(2));
  pool.schedule(1s, log.task(3));
  EXPECT_EQ(pool.cancel(handle), CancelResult::cancelled);
  EXPECT_TRUE(future.cancel());
  EXPECT_EQ(pool.queue_size(), 3U);
  EXPECT_EQ(pool.pending(), 1U);
  EXPECT_EQ(pool.purge(), 2U);
  EXPECT_EQ(pool.queue_size(), 1U);
  clock.advance_by(1s);
  EXPECT_THAT(log.runs(), ElementsAre(Ran{3, 1s}));
}

// B-S-13
TEST(ScheduledThreadPool, DropsACancelledTaskAsInTheJdkWhenItIsDue) {
  ManualClock clock;
  RunLog log(clock);
  Pool pool(clock, Pool::as_in_jdk());
  const auto future = pool.submit(1s, log.task(1));
  EXPECT_TRUE(future.cancel());
  pool.shutdown();
  EXPECT_TRUE(pool.is_terminated());

  Pool open(clock, Pool::as_in_jdk());
  EXPECT_EQ(open.cancel(open.schedule(1s, log.task(1))), CancelResult::cancelled);
  open.schedule(1s, log.task(2));
  clock.advance_by(1s);
  EXPECT_THAT(log.runs(), ElementsAre(Ran{2, 1s}));
  EXPECT_EQ(open.queue_size(), 0U);
  EXPECT_EQ(open.task_count(), 1U);
}

// B-S-13
TEST(ScheduledThreadPool, IsOverWhenTheLastOfTheCancelledIsDropped) {
  ManualClock clock;
  RunLog log(clock);
  Pool pool(clock, [] {
    Pool::Options options = Pool::as_in_jdk();
    options.threads = 3;
    return options;
  }());
  const auto first = pool.submit(1s, log.task(1));
  const auto second = pool.submit(1s, log.task(2));
  pool.submit(0s, [] {});
  pool.shutdown();
  EXPECT_TRUE(first.cancel());
  EXPECT_TRUE(second.cancel());
  clock.settle();
  EXPECT_EQ(pool.queue_size(), 2U);
  EXPECT_FALSE(pool.is_terminated());
  bool was_told = false;
  ManualClock::Thread waits(clock, [&] { was_told = pool.await_termination(1h); });
  clock.advance_by(1s);
  EXPECT_TRUE(was_told);
  EXPECT_THAT(log.runs(), IsEmpty());
}

// B-S-14, D-24
TEST(ScheduledThreadPool, NeedsNoMemoryForWhatIsCancelled) {
  ManualClock clock;
  Pool pool(clock);
  pool.schedule(1h, [] {});
  clock.settle();
  std::size_t most = 0;
  for (int i = 0; i < 1'000'000; ++i) {
    const auto handle = pool.schedule(2h, [] {});
    most = std::max(most, pool.queue_size());
    pool.cancel(handle);
  }
  EXPECT_EQ(most, 2U);
  EXPECT_EQ(pool.queue_size(), 1U);
}

// B-S-14
TEST(ScheduledThreadPool, KeepsTheOrderOfTheOthersWhenOneIsCancelled) {
  ManualClock clock;
  RunLog log(clock);
  Pool pool(clock);
  std::vector<Pool::Handle> handles;
  for (const int deadline : {1, 10, 2, 11, 12, 3, 4}) {
    handles.push_back(pool.schedule(deadline * 1ms, log.task(deadline)));
  }
  // The last entry of the heap fills the hole, and is earlier than its new parent.
  EXPECT_EQ(pool.cancel(handles[3]), CancelResult::cancelled);
  // Now the last entry is later than its new children.
  EXPECT_EQ(pool.cancel(handles[0]), CancelResult::cancelled);
  clock.run_for(1s);
  EXPECT_THAT(log.runs(),
              ElementsAre(Ran{2, 2ms}, Ran{3, 3ms}, Ran{4, 4ms}, Ran{10, 10ms}, Ran{12, 12ms}));
}

// B-S-14
TEST(ScheduledThreadPool, RunsWhatIsLeftOfManyInOrder) {
  ManualClock clock;
  RunLog log(clock);
  Pool pool(clock);
  std::vector<Pool::Handle> handles;
  std::vector<Ran> expected;
  for (int id = 0; id < 1000; ++id) {
    const Duration delay = 1ms * (id * 7919 % 501 + 1);
    handles.push_back(pool.schedule(delay, log.task(id)));
    if (id % 3 != 0) expected.push_back({id, delay});
  }
  for (std::size_t id = 0; id < handles.size(); id += 3) pool.cancel(handles[id]);
  std::stable_sort(expected.begin(), expected.end(),
                   [](const Ran& a, const Ran& b) { return a.at < b.at; });
  clock.run_for(1s);
  EXPECT_EQ(log.runs(), expected);
}

// B-S-15
TEST(ScheduledThreadPool, RemovesATaskThatWaitsOnceAndNoneThatRuns) {
  ManualClock clock;
  RunLog log(clock);
  Pool pool(clock);
  const auto runs = pool.schedule(0s, log.task(1, [&] { clock.sleep_for(50ms); }));
  const auto waits = pool.schedule(10ms, log.task(2));
  clock.run_until(at(20ms));
  EXPECT_FALSE(pool.remove(runs));
  EXPECT_TRUE(pool.remove(waits));
  EXPECT_FALSE(pool.remove(waits));
  EXPECT_FALSE(pool.remove({}));
  EXPECT_EQ(pool.queue_size(), 0U);
  clock.run_for(1s);
  EXPECT_FALSE(pool.remove(runs));
  EXPECT_THAT(log.runs(), ElementsAre(Ran{1, 0ms}));
}

// B-S-15
TEST(ScheduledThreadPool, CancelsTheFutureOfWhatItRemoves) {
  ManualClock clock;
  Pool pool(clock);
  auto future = pool.submit(1h, [] { return 1; });
  EXPECT_TRUE(pool.remove(future.share()));
  EXPECT_TRUE(future.is_cancelled());
}

// B-S-15
TEST(ScheduledThreadPool, RemovesACancelledTaskThatIsStillThere) {
  ManualClock clock;
  RunLog log(clock);
  Pool pool(clock, Pool::as_in_jdk());
  const auto handle = pool.schedule(10ms, log.task(1));
  pool.cancel(handle);
  EXPECT_TRUE(pool.remove(handle));
  EXPECT_FALSE(pool.remove(handle));
  EXPECT_EQ(pool.queue_size(), 0U);
  EXPECT_EQ(pool.pending(), 0U);
}

// B-S-24
TEST(ScheduledThreadPool, HoldsNoTaskWhileItWaits) {
  ManualClock clock;
  Pool pool(clock, Pool::Options{.threads = 10, .remove_on_cancel = false});
  std::size_t dead = 0;
  std::vector<Pool::Handle> handles;
  for (int i = 0; i < 100; ++i) {
    handles.push_back(pool.schedule(1h - i * 1s, [p = probe([&] { ++dead; })] {}));
    clock.settle();
  }
  for (const auto& handle : handles) pool.cancel(handle);
  EXPECT_EQ(pool.purge(), 100U);
  clock.settle();
  EXPECT_EQ(dead, 100U);
  EXPECT_EQ(pool.pool_size(), 10U);
}

// B-S-24
TEST(ScheduledThreadPool, HoldsNoTaskAndNoResultAfterTheRun) {
  ManualClock clock;
  Pool pool(clock, {.threads = 2});
  pool.schedule(1h, [] {});
  bool task_is_dead = false;
  bool result_is_dead = false;
  auto future = std::make_optional(pool.submit(1s, [&, p = probe([&] { task_is_dead = true; })] {
    return probe([&] { result_is_dead = true; });
  }));
  clock.advance_by(1s);
  EXPECT_TRUE(task_is_dead);
  EXPECT_FALSE(result_is_dead);
  future.reset();
  EXPECT_TRUE(result_is_dead);
}

}  // namespace
}  // namespace timers
