#include "impls/queues/parts/timer_slab.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <new>
#include <utility>
#include <vector>

#include "tests/conformance/allocations.hpp"

namespace timers {
namespace {

using Slab = TimerSlab<std::unique_ptr<int>, int>;

template <class Task>
std::uint32_t store(TimerSlab<Task, int>& slab, Task task, int data) {
  slab.reserve_one();
  return slab.acquire(std::move(task), data);
}

TEST(TimerSlab, GivesBackTheTaskThatItStored) {
  Slab slab;
  const auto index = store(slab, std::make_unique<int>(7), 1);
  EXPECT_EQ(slab.size(), 1u);
  EXPECT_EQ(*slab.release(index), 7);
  EXPECT_EQ(slab.size(), 0u);
}

TEST(TimerSlab, NeverFindsTheDefaultHandle) {
  Slab slab;
  EXPECT_EQ(slab.find(TimerHandle{}), Slab::kNone);
  store(slab, std::unique_ptr<int>(), 1);
  EXPECT_EQ(slab.find(TimerHandle{}), Slab::kNone);
}

TEST(TimerSlab, TellsAHandleFromTheNextOneOfTheSameCell) {
  Slab slab;
  const auto index = store(slab, std::unique_ptr<int>(), 1);
  const TimerHandle first = slab.handle(index);
  slab.release(index);
  ASSERT_EQ(store(slab, std::unique_ptr<int>(), 2), index);
  EXPECT_EQ(slab.find(first), Slab::kNone);
  EXPECT_EQ(slab.find(slab.handle(index)), index);
}

//
TEST(TimerSlab, TellsAHandleFromThoseOfManyLaterLivesOfItsCell) {
  TimerSlab<int, int> slab;
  const TimerHandle first = slab.handle(store(slab, 1, 1));
  slab.release(first.index);
  for (std::uint32_t life = 0; life < (1u << 20); ++life) {
    const auto index = store(slab, 1, 1);
    ASSERT_EQ(index, first.index);
    ASSERT_NE(slab.handle(index).generation, first.generation);
    slab.release(index);
  }
}

TEST(TimerSlab, AnnouncesTheCellThatItTakesNext) {
  Slab slab;
  for (int i = 0; i < 3000; ++i) {
    slab.reserve_one();
    const auto next = slab.next();
    ASSERT_EQ(store(slab, std::unique_ptr<int>(), i), next);
    if (i % 3 == 0) slab.release(next);
  }
}

TEST(TimerSlab, UsesTheCellFreedLastFirst) {
  Slab slab;
  std::vector<Slab::Index> cells;
  for (int i = 0; i < 3; ++i) cells.push_back(store(slab, std::unique_ptr<int>(), i));
  slab.release(cells[0]);
  slab.release(cells[2]);
  EXPECT_EQ(store(slab, std::unique_ptr<int>(), 3), cells[2]);
  EXPECT_EQ(store(slab, std::unique_ptr<int>(), 4), cells[0]);
}

TEST(TimerSlab, KeepsCellsInPlaceWhenItGrows) {
  Slab slab;
  const auto index = store(slab, std::make_unique<int>(7), 42);
  const int* data = &slab.queue_data(index);
  for (int i = 0; i < 100'000; ++i) store(slab, std::unique_ptr<int>(), i);
  EXPECT_EQ(&slab.queue_data(index), data);
  EXPECT_EQ(*data, 42);
}

TEST(TimerSlab, IsAsItWasWhenMemoryRunsOut) {
  int refusals = 0;
  conformance::Ration ration{0};
  do {
    ration = {static_cast<std::uint64_t>(refusals)};
    TimerSlab<int, int> slab;
    for (int i = 0; i < 3000; ++i) {
      try {
        const conformance::Rationing rationing(&ration);
        slab.reserve_one();
      } catch (const std::bad_alloc&) {
        ++refusals;
        ASSERT_EQ(slab.size(), static_cast<std::size_t>(i));
        ASSERT_EQ(slab.cells(), static_cast<std::size_t>(i));
        slab.reserve_one();
      }
      ASSERT_EQ(slab.release(slab.acquire(int{i}, i)), i);
      store(slab, i, i);
    }
  } while (ration.refused);
  EXPECT_GT(refusals, 10);
}

TEST(TimerSlab, DestroysEachTaskLeftInItOnce) {
  const auto task = std::make_shared<int>(1);
  {
    TimerSlab<std::shared_ptr<int>, int> slab;
    std::vector<std::uint32_t> cells;
    for (int i = 0; i < 2000; ++i) cells.push_back(store(slab, task, i));
    for (int i = 0; i < 2000; i += 2) slab.release(cells[static_cast<std::size_t>(i)]);
    EXPECT_EQ(task.use_count(), 1001);

    TimerSlab<std::shared_ptr<int>, int> target;
    store(target, task, 0);
    target = std::move(slab);
    EXPECT_EQ(task.use_count(), 1001);
  }
  EXPECT_EQ(task.use_count(), 1);
}

TEST(TimerSlab, CountsATimerThatStaysWhileItIsPending) {
  Slab slab;
  store(slab, std::make_unique<int>(1), 1);
  slab.reserve_one();
  const auto index = slab.make(std::make_unique<int>(7));
  EXPECT_TRUE(slab.stays(index));
  for (int i = 0; i < 3; ++i) {
    EXPECT_FALSE(slab.is_pending(index));
    EXPECT_EQ(slab.size(), 1u);
    slab.arm(index);
    EXPECT_TRUE(slab.is_pending(index));
    EXPECT_TRUE(slab.stays(index));
    EXPECT_EQ(slab.size(), 2u);
    slab.disarm(index);
  }
  slab.drop(index);
  EXPECT_FALSE(slab.stays(index));
  EXPECT_FALSE(slab.is_pending(index));
  EXPECT_EQ(slab.size(), 1u);
}

TEST(TimerSlab, FindsNothingByAHandleThatIsOlderThanATimerThatStays) {
  Slab slab;
  const auto index = store(slab, std::unique_ptr<int>(), 1);
  const TimerHandle before = slab.handle(index);
  slab.release(index);
  for (int life = 0; life < 3; ++life) {
    slab.reserve_one();
    ASSERT_EQ(slab.make(std::unique_ptr<int>()), index);
    EXPECT_EQ(slab.find(before), Slab::kNone);
    slab.arm(index);
    EXPECT_EQ(slab.find(before), Slab::kNone);
    slab.disarm(index);
    EXPECT_EQ(slab.find(before), Slab::kNone);
    slab.drop(index);
    EXPECT_EQ(slab.find(before), Slab::kNone);
  }
  ASSERT_EQ(store(slab, std::unique_ptr<int>(), 2), index);
  EXPECT_EQ(slab.find(before), Slab::kNone);
  EXPECT_EQ(slab.find(slab.handle(index)), index);
}

TEST(TimerSlab, DestroysEachTaskThatStaysOnce) {
  using OfShared = TimerSlab<std::shared_ptr<int>, int>;
  const auto task = std::make_shared<int>(1);
  // A third are unarmed, a third are armed, and a third are gone.
  const auto fill = [&](OfShared& slab) {
    for (int i = 0; i < 3000; ++i) {
      slab.reserve_one();
      const auto index = slab.make(std::shared_ptr<int>(task));
      if (i % 3 == 1) slab.arm(index);
      if (i % 3 == 2) slab.drop(index);
    }
  };
  {
    OfShared slab;
    fill(slab);
    EXPECT_EQ(slab.size(), 1000u);
    EXPECT_EQ(task.use_count(), 2001);

    OfShared target;
    fill(target);
    EXPECT_EQ(task.use_count(), 4001);
    target = std::move(slab);
    EXPECT_EQ(task.use_count(), 2001);
    EXPECT_EQ(target.size(), 1000u);

    const OfShared moved(std::move(target));
    EXPECT_EQ(task.use_count(), 2001);
    EXPECT_EQ(moved.size(), 1000u);
  }
  EXPECT_EQ(task.use_count(), 1);
}

}  // namespace
}  // namespace timers
