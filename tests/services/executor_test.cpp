/// An executor runs its tasks in the order in which it took them, on as many threads as it has.

#include "impls/services/parts/executor.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <exception>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "impls/clocks/clock.hpp"
#include "tests/services/attempt.hpp"
#include "tests/services/run_log.hpp"
#include "tests/services/scarce_clock.hpp"

namespace timers {
namespace {

using namespace std::chrono_literals;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using testing::ThrowsMessage;

TEST(InlineExecutor, RunsATaskAtOnceWhereItIsHandedOver) {
  InlineExecutor executor;
  std::thread::id thread;
  executor.execute([&] { thread = std::this_thread::get_id(); });
  EXPECT_EQ(thread, std::this_thread::get_id());
}

TEST(InlineExecutor, LetsExceptionsThrough) {
  InlineExecutor executor;
  EXPECT_THROW(executor.execute([] { throw std::runtime_error("no"); }), std::runtime_error);
}

TEST(InlineExecutor, RefusesNothing) {
  InlineExecutor executor;
  EXPECT_THROW(executor.execute(nullptr), std::invalid_argument);
}

TEST(PoolExecutor, RunsTasksInTheOrderOfTheirComing) {
  ManualClock clock;
  RunLog log(clock);
  PoolExecutor pool(clock, 1);
  for (int id = 0; id < 100; ++id) pool.execute(log.task(id));
  clock.settle();
  ASSERT_THAT(log.runs(), SizeIs(100));
  for (int id = 0; id < 100; ++id) {
    EXPECT_EQ(log.runs()[static_cast<std::size_t>(id)], (Ran{id, 0s}));
  }
}

TEST(PoolExecutor, RunsNoTaskOnTheThreadThatHandsItOver) {
  ManualClock clock;
  PoolExecutor pool(clock, 1);
  std::thread::id thread = std::this_thread::get_id();
  pool.execute([&] { thread = std::this_thread::get_id(); });
  clock.settle();
  EXPECT_NE(thread, std::this_thread::get_id());
}

// C-25
TEST(PoolExecutor, RunsAsManyTasksTogetherAsItHasThreads) {
  ManualClock clock;
  RunLog log(clock);
  PoolExecutor pool(clock, 3);
  for (int id = 0; id < 7; ++id) pool.execute(log.task(id, [&] { clock.sleep_for(1s); }));
  clock.settle();
  EXPECT_THAT(log.runs(), SizeIs(3));
  EXPECT_EQ(pool.waiting(), 4u);
  clock.run_for(10s);
  std::vector<Duration> starts;
  for (const Ran& run : log.runs()) starts.push_back(run.at);
  EXPECT_THAT(starts, ElementsAre(0s, 0s, 0s, 1s, 1s, 1s, 2s));
  EXPECT_EQ(pool.waiting(), 0u);
}

TEST(PoolExecutor, WakesOneThreadForATask) {
  ManualClock clock;
  RunLog log(clock);
  PoolExecutor pool(clock, 4);
  clock.settle();
  const std::size_t wakes = clock.wakes();
  pool.execute(log.task(1));
  clock.settle();
  EXPECT_EQ(clock.wakes() - wakes, 1u);
  pool.execute(log.task(2, [&] { clock.sleep_for(1s); }));
  pool.execute(log.task(3));
  clock.settle();
  EXPECT_EQ(clock.wakes() - wakes, 3u);
  EXPECT_THAT(log.runs(), SizeIs(3));
  clock.run_for(1s);
}

TEST(PoolExecutor, TakesTasksFromItsTasks) {
  ManualClock clock;
  RunLog log(clock);
  PoolExecutor pool(clock, 1);
  pool.execute(log.task(1, [&] {
    pool.execute(log.task(2));
    EXPECT_EQ(pool.waiting(), 1u);
  }));
  clock.settle();
  EXPECT_THAT(log.runs(), ElementsAre(Ran{1, 0s}, Ran{2, 0s}));
}

TEST(PoolExecutor, GoesOnAfterATaskThatThrew) {
  ManualClock clock;
  RunLog log(clock);
  std::vector<std::string> errors;
  PoolExecutor pool(clock, 1, [&](const std::exception_ptr& error) {
    try {
      std::rethrow_exception(error);
    } catch (const std::exception& exception) {
      errors.emplace_back(exception.what());
    }
  });
  pool.execute(log.task(1, [] { throw std::runtime_error("the first"); }));
  pool.execute(log.task(2));
  pool.execute(log.task(3, [] { throw std::runtime_error("the third"); }));
  clock.settle();
  EXPECT_THAT(log.runs(), SizeIs(3));
  EXPECT_THAT(errors, ElementsAre("the first", "the third"));
}

//
TEST(PoolExecutor, DestroysATaskWhenItHasRun) {
  ManualClock clock;
  PoolExecutor pool(clock, 1);
  auto held = std::make_shared<int>();
  pool.execute([held] {});
  clock.settle();
  EXPECT_EQ(held.use_count(), 1);
}

//
TEST(PoolExecutor, LocksNothingWhenATaskIsDestroyed) {
  ManualClock clock;
  RunLog log(clock);
  PoolExecutor pool(clock, 1);
  const auto executes_another = [&](int*) { pool.execute(log.task(2)); };
  pool.execute(log.task(1, [held = std::shared_ptr<int>(nullptr, executes_another)] {}));
  clock.settle();
  EXPECT_THAT(log.runs(), ElementsAre(Ran{1, 0s}, Ran{2, 0s}));
}

TEST(PoolExecutor, ReturnsWhatNeverRanWhenItIsStopped) {
  ManualClock clock;
  RunLog log(clock);
  PoolExecutor pool(clock, 1);
  pool.execute(log.task(1, [&] { clock.sleep_for(10s); }));
  pool.execute(log.task(2));
  pool.execute(log.task(3));
  clock.settle();
  std::optional<std::vector<TimerTask>> never_ran;
  ManualClock::Thread stopper(clock, [&] { never_ran = pool.stop(); });
  clock.run_for(9s);
  EXPECT_FALSE(never_ran) << "stopped before the running task had ended";
  clock.run_for(2s);
  stopper.join();
  ASSERT_TRUE(never_ran);
  EXPECT_THAT(log.runs(), ElementsAre(Ran{1, 0s}));
  EXPECT_EQ(pool.waiting(), 0u);
  for (TimerTask& task : *never_ran) task();
  EXPECT_THAT(log.runs(), ElementsAre(Ran{1, 0s}, Ran{2, 11s}, Ran{3, 11s}));
}

TEST(PoolExecutor, ReturnsNothingWhenItIsStoppedAgain) {
  ManualClock clock;
  PoolExecutor pool(clock, 2);
  pool.execute([] {});
  clock.settle();
  EXPECT_THAT(pool.stop(), IsEmpty());
  EXPECT_THAT(pool.stop(), IsEmpty());
}

TEST(PoolExecutor, IsStoppedByTwoAtOnce) {
  ManualClock clock;
  RunLog log(clock);
  PoolExecutor pool(clock, 2);
  std::size_t returned = 0;
  {
    std::vector<std::size_t> counts(2);
    ManualClock::Thread one(clock, [&] { counts[0] = pool.stop().size(); });
    ManualClock::Thread other(clock, [&] { counts[1] = pool.stop().size(); });
    for (int id = 0; id < 10; ++id) {
      try {
        pool.execute(log.task(id));
        ++returned;  // otherwise it runs
      } catch (const RejectedTask&) {
      }
    }
    one.join();
    other.join();
    returned -= counts[0] + counts[1];
  }
  EXPECT_EQ(log.size(), returned) << "each task that was taken runs or comes back";
}

TEST(PoolExecutor, TakesNothingAfterItsStop) {
  ManualClock clock;
  PoolExecutor pool(clock, 1);
  pool.stop();
  EXPECT_THROW(pool.execute([] {}), RejectedTask);
  EXPECT_EQ(pool.waiting(), 0u);
}

TEST(PoolExecutor, IsNotStoppedByItsOwnTask) {
  ManualClock clock;
  RunLog log(clock);
  PoolExecutor pool(clock, 1);
  std::string refusal;
  pool.execute([&] {
    try {
      pool.stop();
    } catch (const std::logic_error& error) {
      refusal = error.what();
    }
  });
  pool.execute(log.task(1));
  clock.settle();
  EXPECT_THAT(refusal, AllOf(HasSubstr("stop"), HasSubstr("called by one")));
  EXPECT_THAT(log.runs(), ElementsAre(Ran{1, 0s}));
}

TEST(PoolExecutor, IsStoppedByATaskOfAnother) {
  ManualClock clock;
  PoolExecutor pool(clock, 1);
  PoolExecutor other(clock, 1);
  bool stopped = false;
  other.execute([&] {
    pool.stop();
    stopped = true;
  });
  clock.settle();
  EXPECT_TRUE(stopped);
  EXPECT_THROW(pool.execute([] {}), RejectedTask);
}

//
TEST(PoolExecutor, DestroysWhatNeverRanWhenItIsDestroyed) {
  ManualClock clock;
  auto held = std::make_shared<int>();
  int runs = 0;
  std::optional<PoolExecutor<ManualClock>> pool;
  pool.emplace(clock, 1);
  pool->execute([&] { clock.sleep_for(1s); });
  for (int i = 0; i < 3; ++i) pool->execute([held, &runs] { ++runs; });
  clock.settle();
  EXPECT_EQ(held.use_count(), 4);
  ManualClock::Thread destroyer(clock, [&] { pool.reset(); });
  clock.run_for(1s);
  destroyer.join();
  EXPECT_EQ(held.use_count(), 1);
  EXPECT_EQ(runs, 0);
}

TEST(PoolExecutor, RefusesToHaveNoThreads) {
  ManualClock clock;
  EXPECT_THAT(Attempt([&] { PoolExecutor pool(clock, 0); }),
              ThrowsMessage<std::invalid_argument>(HasSubstr("at least 1 thread")));
}

TEST(PoolExecutor, RefusesNothing) {
  ManualClock clock;
  PoolExecutor pool(clock, 1);
  EXPECT_THROW(pool.execute(nullptr), std::invalid_argument);
  EXPECT_EQ(pool.waiting(), 0u);
}

TEST(PoolExecutor, EndsTheThreadsItHasWhenItDoesNotGetAll) {
  ScarceClock clock(2);
  EXPECT_THROW({ PoolExecutor<ScarceClock> pool(clock, 3); }, std::system_error);
  EXPECT_EQ(clock.threads_left, 0);
  clock.threads_left = 3;
  RunLog log(clock);
  PoolExecutor pool(clock, 3);
  pool.execute(log.task(1));
  clock.settle();
  EXPECT_THAT(log.runs(), SizeIs(1));
}

}  // namespace
}  // namespace timers
