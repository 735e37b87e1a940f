/// What QueueTimer does beyond the contract of all services: when its thread wakes, how it turns
/// deadlines into ticks, and how many timers it takes.

#include "impls/services/queue_timer.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <exception>
#include <functional>
#include <new>
#include <optional>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

#include "impls/clocks/clock.hpp"
#include "impls/queues/hierarchical_wheel.hpp"
#include "impls/queues/lazy_wheel.hpp"
#include "impls/queues/min_heap.hpp"
#include "tests/services/attempt.hpp"
#include "tests/services/run_log.hpp"

namespace timers {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::ThrowsMessage;

template <class Model>
class AQueueTimer : public testing::Test {
 protected:
  using Timer = QueueTimer<Model, ManualClock>;

  /// Stops the timer while one of its tasks sleeps for a second. Returns the tasks that never ran.
  std::vector<TimerTask> stop_within_a_task(Timer& timer) {
    std::vector<TimerTask> never_ran;
    std::thread stopper([&] { never_ran = timer.stop(); });
    const auto takes_more = [&] {
      try {
        timer.cancel(timer.schedule(1h, [] {}));
        return true;
      } catch (const RejectedTask&) {
        return false;
      }
    };
    while (takes_more()) std::this_thread::yield();
    clock_.advance_by(1s);
    stopper.join();
    return never_ran;
  }

  ManualClock clock_;
  RunLog log_{clock_};
};

using Models =
    testing::Types<HierarchicalWheel<TimerTask>, LazyWheel<TimerTask>, MinHeap<TimerTask>>;
TYPED_TEST_SUITE(AQueueTimer, Models);

TYPED_TEST(AQueueTimer, RoundsADeadlineUpToATick) {
  typename TestFixture::Timer timer(this->clock_, {.tick_duration = 10ms});
  timer.schedule(20ms, this->log_.task(1));
  timer.schedule(20ms + 1ns, this->log_.task(2));
  this->clock_.run_for(1s);
  EXPECT_THAT(this->log_.runs(), ElementsAre(Ran{1, 20ms}, Ran{2, 30ms}));
}

TYPED_TEST(AQueueTimer, CountsTicksFromItsStart) {
  this->clock_.advance_by(7ms);
  typename TestFixture::Timer timer(this->clock_, {.tick_duration = 10ms});
  this->clock_.advance_by(1ms);
  timer.schedule(9ms, this->log_.task(1));
  timer.schedule(10ms, this->log_.task(2));
  this->clock_.run_for(1s);
  EXPECT_THAT(this->log_.runs(), ElementsAre(Ran{1, 17ms}, Ran{2, 27ms}));
}

TYPED_TEST(AQueueTimer, RefusesATickOfNothing) {
  EXPECT_THAT(
      Attempt([&] { typename TestFixture::Timer timer(this->clock_, {.tick_duration = 0ns}); }),
      ThrowsMessage<std::invalid_argument>(HasSubstr("at least 1 ns, and is 0 ns")));
}

// A-09, D-67
TYPED_TEST(AQueueTimer, NeverRunsWhatIsNeverDueNotEvenAtTheLastInstant) {
  typename TestFixture::Timer timer(this->clock_);
  timer.schedule(Duration::max(), this->log_.task(1));
  timer.schedule(std::chrono::years(1000), this->log_.task(2));
  timer.schedule(1s, this->log_.task(3));
  this->clock_.run_until(Instant::max());
  EXPECT_THAT(this->log_.runs(), ElementsAre(Ran{3, 1s}));
  EXPECT_EQ(timer.pending(), 2u);
  EXPECT_EQ(timer.stop().size(), 2u);
}

TYPED_TEST(AQueueTimer, WakesNowAndThenForManyLaterDeadlines) {
  typename TestFixture::Timer timer(this->clock_);
  timer.schedule(1s, this->log_.task(1));
  this->clock_.settle();
  const std::size_t before = this->clock_.wakes();
  for (int i = 0; i < 100'000; ++i) timer.cancel(timer.schedule(1h, this->log_.task(2)));
  this->clock_.settle();
  EXPECT_GT(this->clock_.wakes(), before);
  EXPECT_LT(this->clock_.wakes(), before + 10);
  EXPECT_EQ(timer.pending(), 1u);
}

TYPED_TEST(AQueueTimer, KeepsTheOrderOfWhatCameWhileItSlept) {
  typename TestFixture::Timer timer(this->clock_);
  timer.schedule(10ms, this->log_.task(1));
  timer.schedule(30ms, this->log_.task(3));
  this->clock_.settle();
  timer.schedule(20ms, this->log_.task(2));  // This is not the earliest timer, so it stays in the
                                             // inbox.
  this->clock_.advance_by(1s);
  EXPECT_THAT(this->log_.runs(), ElementsAre(Ran{1, 1s}, Ran{2, 1s}, Ran{3, 1s}));
}

TYPED_TEST(AQueueTimer, CancelsInTheInboxAndInTheQueue) {
  typename TestFixture::Timer timer(this->clock_);
  const auto filed = timer.schedule(20ms, this->log_.task(2));
  timer.schedule(10ms, this->log_.task(1));  // This timer is earlier, so it wakes the thread, which
                                             // files both.
  this->clock_.settle();
  const auto in_inbox = timer.schedule(20ms, this->log_.task(3));
  EXPECT_EQ(timer.cancel(filed), CancelResult::cancelled);
  EXPECT_EQ(timer.cancel(in_inbox), CancelResult::cancelled);
  EXPECT_EQ(timer.cancel(in_inbox), CancelResult::gone);
  EXPECT_EQ(timer.pending(), 1u);
  this->clock_.run_for(1s);
  EXPECT_THAT(this->log_.runs(), ElementsAre(Ran{1, 10ms}));
  EXPECT_EQ(timer.pending(), 0u);
}

// Due timers leave the queue in batches.
TYPED_TEST(AQueueTimer, CancelsWhatIsOutOfTheQueueAndHasNotRun) {
  constexpr int kTimers = 100;
  typename TestFixture::Timer timer(this->clock_);
  std::vector<typename TestFixture::Timer::Handle> handles(kTimers);
  int runs = 0;
  int cancelled = 0;
  for (auto& handle : handles) {
    handle = timer.schedule(10ms, [&] {
      ++runs;
      for (const auto& other : handles) {
        if (timer.cancel(other) == CancelResult::cancelled) ++cancelled;
      }
    });
  }
  this->clock_.run_for(1s);
  EXPECT_EQ(runs, 1);
  EXPECT_EQ(cancelled, kTimers - 1);
  EXPECT_EQ(timer.pending(), 0u);
}

// C-24, B-N-20
TYPED_TEST(AQueueTimer, TakesAsManyTimersAsItMayAndNoMore) {
  typename TestFixture::Timer timer(this->clock_, {.max_pending = 2});
  timer.schedule(10ms, this->log_.task(1));
  const auto second = timer.schedule(20ms, this->log_.task(2));
  EXPECT_THAT(Attempt([&] { timer.schedule(5ms, this->log_.task(3)); }),
              ThrowsMessage<RejectedTask>(HasSubstr("at most 2 pending tasks has 2")));
  EXPECT_EQ(timer.pending(), 2u);
  EXPECT_EQ(timer.cancel(second), CancelResult::cancelled);
  timer.schedule(30ms, this->log_.task(4));
  this->clock_.run_for(1s);
  EXPECT_THAT(this->log_.runs(), ElementsAre(Ran{1, 10ms}, Ran{4, 30ms}));
}

TYPED_TEST(AQueueTimer, ReturnsWhatNeverRanFromInboxAndQueue) {
  typename TestFixture::Timer timer(this->clock_);
  timer.schedule(10ms, this->log_.task(1));
  this->clock_.settle();
  timer.schedule(20ms, this->log_.task(2));
  timer.cancel(timer.schedule(20ms, this->log_.task(3)));
  std::vector<TimerTask> never_ran = timer.stop();
  EXPECT_THAT(this->log_.runs(), IsEmpty());
  for (TimerTask& task : never_ran) task();
  EXPECT_THAT(this->log_.runs(), testing::UnorderedElementsAre(Ran{1, 0ns}, Ran{2, 0ns}));
  EXPECT_EQ(timer.pending(), 0u);
}

TYPED_TEST(AQueueTimer, LetsTheRunningTaskEndAndStartsNoOther) {
  typename TestFixture::Timer timer(this->clock_);
  timer.schedule(10ms, this->log_.task(1, [&] { this->clock_.sleep_for(1s); }));
  timer.schedule(10ms, this->log_.task(2));
  this->clock_.advance_by(10ms);
  const std::vector<TimerTask> never_ran = this->stop_within_a_task(timer);
  EXPECT_THAT(this->log_.runs(), ElementsAre(Ran{1, 10ms}));
  EXPECT_EQ(never_ran.size(), 1u);
}

// The handle is gone, too: only the service holds the node.
TYPED_TEST(AQueueTimer, StopsWhileWhatWasCancelledWaitsForItsTurn) {
  typename TestFixture::Timer timer(this->clock_);
  typename TestFixture::Timer::Handle other;
  timer.schedule(10ms, this->log_.task(1, [&] {
    timer.cancel(std::exchange(other, {}));
    this->clock_.sleep_for(1s);
  }));
  other = timer.schedule(10ms + 1ns, this->log_.task(2));
  this->clock_.advance_by(20ms);
  const std::vector<TimerTask> never_ran = this->stop_within_a_task(timer);
  EXPECT_EQ(never_ran.size(), 0u);
  EXPECT_EQ(timer.pending(), 0u);
}

/// How many times a PoorQueue will still run out of memory.
std::atomic<int> shortages = 0;

template <class TaskType>
class PoorQueue : public MinHeap<TaskType> {
 public:
  static constexpr const char* name = "poor_queue";

  TimerHandle insert(Tick deadline, TaskType task) {
    if (shortages > 0) {
      --shortages;
      throw std::bad_alloc();
    }
    return MinHeap<TaskType>::insert(deadline, std::move(task));
  }
};

//
TEST(QueueTimer, FilesInTheNextTickWhatItHadNoMemoryFor) {
  ManualClock clock;
  RunLog log(clock);
  int errors = 0;
  QueueTimer<PoorQueue<TimerTask>, ManualClock> timer(
      clock, {.tick_duration = 10ms, .on_error = [&](const std::exception_ptr&) { ++errors; }});
  clock.settle();
  shortages = 2;
  timer.schedule(5ms, log.task(1));
  timer.schedule(100ms, log.task(2));
  timer.cancel(timer.schedule(100ms, log.task(3)));
  clock.run_for(1s);
  EXPECT_EQ(errors, 2);
  EXPECT_THAT(log.runs(), ElementsAre(Ran{1, 10ms}, Ran{2, 100ms}));
  EXPECT_EQ(timer.pending(), 0u);
}

/// An AskedQueue calls this when it is empty and is asked for its next expiry. So the thread is
/// about to announce that it sleeps without end.
std::function<void()> before_an_endless_sleep;

template <class TaskType>
class AskedQueue : public PoorQueue<TaskType> {
 public:
  static constexpr const char* name = "asked_queue";

  std::optional<Tick> next_expiry() const {
    if (this->size() == 0 && before_an_endless_sleep) {
      std::exchange(before_an_endless_sleep, nullptr)();
    }
    return PoorQueue<TaskType>::next_expiry();
  }
};

//
TEST(QueueTimer, DoesNotSleepOnWhatCameLastAndHadNoMemory) {
  ManualClock clock;
  RunLog log(clock);
  QueueTimer<AskedQueue<TimerTask>, ManualClock> timer(
      clock, {.tick_duration = 10ms, .on_error = [](const std::exception_ptr&) {}});
  clock.settle();
  before_an_endless_sleep = [&] {
    shortages = 1;
    timer.schedule(15ms, log.task(2));
  };
  timer.schedule(5ms, log.task(1));
  clock.run_for(1s);
  EXPECT_THAT(log.runs(), ElementsAre(Ran{1, 10ms}, Ran{2, 30ms}));
}

}  // namespace
}  // namespace timers
