#include "impls/queues/parts/timer_buckets.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <random>
#include <utility>
#include <vector>

namespace timers {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

struct Buckets : TimerBuckets<int> {
  using TimerBuckets::TimerBuckets;
  TimerHandle insert(Bucket bucket, Tick deadline, int&& task) {
    reserve_one();
    return TimerBuckets::insert(bucket, deadline, std::move(task));
  }
};

std::vector<int> drain(Buckets& buckets, Buckets::Bucket bucket) {
  std::vector<int> tasks;
  while (buckets.front(bucket) != Buckets::kNone) {
    tasks.push_back(buckets.remove(buckets.front(bucket)));
  }
  return tasks;
}

TEST(TimerBuckets, KeepTheOrderOfInsertion) {
  Buckets buckets(2);
  for (int task = 0; task < 5; ++task) buckets.insert(1, 10, int{task});
  EXPECT_THAT(drain(buckets, 1), ElementsAre(0, 1, 2, 3, 4));
  EXPECT_THAT(drain(buckets, 0), IsEmpty());
}

TEST(TimerBuckets, KnowWhichOfThemAreInUse) {
  Buckets buckets(200);
  EXPECT_EQ(buckets.first_occupied(), std::nullopt);
  const TimerHandle one = buckets.insert(70, 1, 1);
  const TimerHandle other = buckets.insert(70, 1, 2);
  buckets.insert(199, 1, 3);
  EXPECT_EQ(buckets.first_occupied(), 70u);
  EXPECT_EQ(buckets.first_occupied(71), 199u);
  buckets.remove(one.index);
  EXPECT_EQ(buckets.first_occupied(), 70u);
  buckets.move(other.index, 3);
  EXPECT_EQ(buckets.first_occupied(), 3u);
  EXPECT_EQ(buckets.first_occupied(4), 199u);
  buckets.splice(3, 90);
  EXPECT_EQ(buckets.first_occupied(), 90u);
}

TEST(TimerBuckets, SpliceToTheEndOfABucket) {
  Buckets buckets(3);
  for (int task = 0; task < 3; ++task) buckets.insert(0, 1, int{task});
  buckets.insert(1, 1, 9);
  buckets.splice(0, 1);
  buckets.splice(2, 1);
  EXPECT_THAT(drain(buckets, 0), IsEmpty());
  EXPECT_THAT(drain(buckets, 1), ElementsAre(9, 0, 1, 2));
}

TEST(TimerBuckets, MoveSomeOfABucketInOrder) {
  for (unsigned chosen = 0; chosen < 64; ++chosen) {  // all subsets of six timers
    Buckets buckets(2);
    std::vector<int> stay;
    std::vector<int> move = {9};
    for (int task = 0; task < 6; ++task) {
      const bool is_chosen = (chosen >> task) % 2 != 0;
      buckets.insert(0, is_chosen, int{task});
      (is_chosen ? move : stay).push_back(task);
    }
    buckets.insert(1, 1, 9);
    EXPECT_EQ(buckets.move_if(0, 1, [](Tick deadline) { return deadline == 1; }), stay.size());
    EXPECT_EQ(buckets.first_occupied(), stay.empty() ? 1u : 0u);
    buckets.insert(0, 1, 7);
    stay.push_back(7);
    EXPECT_EQ(drain(buckets, 0), stay) << chosen;
    EXPECT_EQ(drain(buckets, 1), move) << chosen;
  }
}

TEST(TimerBuckets, DistributeInOrder) {
  Buckets buckets(4);
  for (int task = 0; task < 8; ++task) buckets.insert(3, static_cast<Tick>(task % 3), int{task});
  buckets.distribute(3, [](Tick deadline) { return static_cast<Buckets::Bucket>(deadline); });
  EXPECT_THAT(drain(buckets, 3), IsEmpty());
  EXPECT_THAT(drain(buckets, 0), ElementsAre(0, 3, 6));
  EXPECT_THAT(drain(buckets, 1), ElementsAre(1, 4, 7));
  EXPECT_THAT(drain(buckets, 2), ElementsAre(2, 5));
}

TEST(TimerBuckets, SortByDeadlineAndKeepTheOrderOfEqualOnes) {
  std::mt19937_64 random(2);
  for (int size = 0; size < 200; ++size) {
    Buckets buckets(1);
    std::vector<std::pair<Tick, int>> model;
    for (int task = 0; task < size; ++task) {
      const Tick deadline = random() % 20;
      model.emplace_back(deadline, task);
      buckets.insert(0, deadline, int{task});
    }
    std::stable_sort(model.begin(), model.end(),
                     [](const auto& one, const auto& other) { return one.first < other.first; });
    buckets.sort(0);
    if (size > 0) buckets.insert(0, 99, -1);  // the links of the end are whole again
    std::vector<int> expected;
    for (const auto& [deadline, task] : model) expected.push_back(task);
    if (size > 0) expected.push_back(-1);
    ASSERT_EQ(drain(buckets, 0), expected);
    ASSERT_EQ(buckets.first_occupied(), std::nullopt);
  }
}

TEST(TimerBuckets, SortInTheLastOfABucketBehindThoseThatAreNotLater) {
  std::mt19937_64 random(3);
  Buckets buckets(2);
  std::vector<std::pair<Tick, int>> model;
  for (int task = 0; task < 300; ++task) {
    const Tick deadline = random() % 50;
    const auto place = std::find_if(model.rbegin(), model.rend(), [deadline](const auto& timer) {
      return timer.first <= deadline;
    });
    const auto passed = static_cast<std::size_t>(place - model.rbegin());
    model.insert(place.base(), {deadline, task});
    ASSERT_EQ(buckets.sort_in(buckets.insert(1, deadline, int{task}).index), passed);
  }
  std::vector<int> expected;
  for (const auto& [deadline, task] : model) expected.push_back(task);
  EXPECT_EQ(drain(buckets, 1), expected);
}

TEST(TimerBuckets, KeepWhatIsInThemWhenTheyGrow) {
  Buckets buckets(2);
  buckets.insert(1, 1, 1);
  buckets.insert(1, 2, 2);
  buckets.grow(5000);
  EXPECT_EQ(buckets.first_occupied(), 1u);
  EXPECT_EQ(buckets.first_occupied(2), std::nullopt);
  buckets.insert(4999, 3, 3);
  EXPECT_EQ(buckets.first_occupied(2), 4999u);
  EXPECT_THAT(drain(buckets, 1), ElementsAre(1, 2));
  EXPECT_THAT(drain(buckets, 4999), ElementsAre(3));
}

TEST(TimerBuckets, TellWhetherABucketIsLongerThanSoManyTimers) {
  Buckets buckets(2);
  EXPECT_FALSE(buckets.is_longer_than(0, 0));
  for (int task = 1; task <= 3; ++task) buckets.insert(0, 1, int{task});
  EXPECT_TRUE(buckets.is_longer_than(0, 2));
  EXPECT_FALSE(buckets.is_longer_than(0, 3));
}

}  // namespace
}  // namespace timers
