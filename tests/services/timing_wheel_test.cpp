/// The wheels alone, which the test turns: where an item waits, when it cascades, and in which
/// order all items come out.

#include "impls/services/parts/timing_wheel.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <random>
#include <utility>
#include <vector>

#include "impls/timer_queue.hpp"
#include "tests/conformance/allocations.hpp"

namespace timers {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

struct Item : WheelItem {
  explicit Item(Tick due_at) : tick(due_at) {}
  Tick due() const { return tick; }
  bool settle(Tick now) const { return tick <= now; }

  Tick tick;
};
using Wheel = TimingWheel<Item*>;

/// Wheels that the test turns, and what they hold.
struct Wheels {
  explicit Wheels(std::size_t size) : wheel(0, size) {}

  const Wheel::Bucket& insert(Tick tick) { return wheel.insert(&items.emplace_back(tick)); }
  bool expire(Tick now) {
    return wheel.expire(now, [this](Item* item) { due.push_back(item); });
  }
  Item& insert_item(Tick tick) {
    insert(tick);
    return items.back();
  }
  void move(Item& item, Tick tick) {
    wheel.reserve_one();
    item.tick = tick;
    wheel.insert(wheel.take(item));
  }
  std::vector<Tick> ticks_due() const {
    std::vector<Tick> ticks;
    for (const Item* item : due) ticks.push_back(item->tick);
    return ticks;
  }

  std::deque<Item> items;
  std::vector<Item*> due;
  Wheel wheel;
};

// B-K-01, B-K-06
TEST(TimingWheel, MakesAWheelWhenItIsFirstNeeded) {
  Wheels wheels(20);
  const auto insert = [&](Tick tick) {
    const Tick width = wheels.insert(tick).width;
    return std::pair(wheels.wheel.levels(), width);
  };
  EXPECT_EQ(wheels.wheel.levels(), 1u);
  EXPECT_EQ(insert(19), std::pair(std::size_t{1}, Tick{1}));
  EXPECT_EQ(insert(20), std::pair(std::size_t{2}, Tick{20}));
  EXPECT_EQ(insert(399), std::pair(std::size_t{2}, Tick{20}));
  EXPECT_EQ(insert(400), std::pair(std::size_t{3}, Tick{400}));
  EXPECT_EQ(insert(7'999), std::pair(std::size_t{3}, Tick{400}));
  EXPECT_EQ(insert(8'000), std::pair(std::size_t{4}, Tick{8'000}));
  EXPECT_EQ(insert(19), std::pair(std::size_t{4}, Tick{1}));
  EXPECT_EQ(wheels.wheel.size(), 7u);
}

// B-K-06
TEST(TimingWheel, Puts350TicksIntoBucket17OfTheSecondWheel) {
  Wheels wheels(20);
  const Wheel::Bucket& bucket = wheels.insert(350);
  EXPECT_EQ(bucket.width, 20u);
  EXPECT_EQ(bucket.expiration, 17u * 20u);
}

// B-K-06, B-K-09
TEST(TimingWheel, Cascades450TicksFromWheelToWheelUntilItIsDue) {
  Wheels wheels(20);
  const Wheel::Bucket& bucket = wheels.insert(450);
  EXPECT_EQ(bucket.width, 400u);
  EXPECT_EQ(bucket.expiration, 400u);
  for (const Tick tick : {406u, 455u, 473u}) EXPECT_EQ(&wheels.insert(tick), &bucket) << tick;

  EXPECT_FALSE(wheels.expire(399));
  EXPECT_TRUE(wheels.expire(400));
  EXPECT_EQ(wheels.wheel.next_expiry(), 406u);
  EXPECT_TRUE(wheels.expire(439));
  EXPECT_EQ(wheels.wheel.next_expiry(), 440u);  // 50 ticks remain, and two wheels reach so far.

  EXPECT_TRUE(wheels.expire(440));
  EXPECT_THAT(wheels.ticks_due(), ElementsAre(406u));
  EXPECT_EQ(wheels.wheel.next_expiry(), 450u);  // 10 ticks remain.

  EXPECT_FALSE(wheels.expire(449));
  EXPECT_TRUE(wheels.expire(450));
  EXPECT_THAT(wheels.ticks_due(), ElementsAre(406u, 450u));
  EXPECT_EQ(wheels.wheel.size(), 2u);
}

// B-K-06, B-K-08
TEST(TimingWheel, UsesABucketAgainInTheNextTurn) {
  Wheels wheels(20);
  const Wheel::Bucket* const bucket_1 = &wheels.insert(1);
  EXPECT_EQ(&wheels.insert(2), bucket_1 + 1);
  EXPECT_TRUE(wheels.expire(2));
  EXPECT_EQ(&wheels.insert(2 + 8), bucket_1 + 9);
  EXPECT_EQ(&wheels.insert(2 + 19), bucket_1);
  EXPECT_EQ(bucket_1->expiration, 21u);
}

// B-K-07
TEST(TimingWheel, IsAtTheExpirationOfTheLastBucketOnAllLevels) {
  Wheels wheels(20);
  wheels.insert(450);
  EXPECT_FALSE(wheels.expire(399));
  EXPECT_EQ(wheels.wheel.now(), 0u);  // Nothing expired, so it lags behind.
  EXPECT_TRUE(wheels.expire(449));
  EXPECT_EQ(wheels.wheel.now(), 440u);
  // 440 + 20 is beyond the first wheel, though 449 + 11 is not.
  EXPECT_EQ(wheels.insert(460).width, 20u);
  EXPECT_TRUE(wheels.expire(450));
  EXPECT_EQ(wheels.insert(465).width, 1u);
}

// B-K-07, B-K-10
TEST(TimingWheel, TurnsAlsoToABucketInWhichAllWasCancelled) {
  Wheels wheels(20);
  wheels.insert(20);
  EXPECT_TRUE(wheels.wheel.cancel(wheels.items.back()));
  EXPECT_TRUE(wheels.expire(20));
  EXPECT_EQ(wheels.wheel.now(), 20u);
  EXPECT_EQ(wheels.insert(39).width, 1u);
  EXPECT_THAT(wheels.due, IsEmpty());
}

// B-K-08
TEST(TimingWheel, QueuesABucketOnceATurn) {
  Wheels wheels(20);
  for (int i = 0; i < 3; ++i) wheels.insert(5);
  EXPECT_EQ(wheels.wheel.next_expiry(), 5u);
  EXPECT_TRUE(wheels.expire(5));
  EXPECT_THAT(wheels.due, SizeIs(3));
  EXPECT_EQ(wheels.wheel.next_expiry(), kEndOfTime);
  wheels.insert(20);
  EXPECT_TRUE(wheels.wheel.cancel(wheels.items.back()));
  wheels.insert(20);
  EXPECT_TRUE(wheels.expire(20));
  EXPECT_FALSE(wheels.expire(20));
  EXPECT_THAT(wheels.due, SizeIs(4));
}

// B-K-11
TEST(TimingWheel, KeepsTheOrderOfABucketOverAllCascades) {
  constexpr std::size_t kItems = 1'000;
  Wheels wheels(20);
  for (std::size_t i = 0; i < kItems; ++i) wheels.insert(8'459);
  for (std::size_t i = 0; i < kItems; i += 3) wheels.wheel.cancel(wheels.items[i]);
  EXPECT_TRUE(wheels.expire(8'459));
  std::vector<Item*> expected;
  for (std::size_t i = 0; i < kItems; ++i) {
    if (i % 3 != 0) expected.push_back(&wheels.items[i]);
  }
  EXPECT_EQ(wheels.due, expected);
}

// B-K-25
TEST(TimingWheel, CountsTheDelayOfABucketDownToZero) {
  Wheel::Bucket bucket;
  bucket.expiration = 10'000;
  EXPECT_EQ(bucket.delay(0), 10'000u);
  EXPECT_EQ(bucket.delay(5'000), 5'000u);
  EXPECT_EQ(bucket.delay(10'000), 0u);
  EXPECT_EQ(bucket.delay(10'001), 0u);
}

// B-K-26
TEST(TimingWheel, MarksABucketAsUnusedWhenItExpires) {
  Wheels wheels(20);
  EXPECT_EQ(Wheel::Bucket().expiration, Wheel::Bucket::kUnused);
  const Wheel::Bucket& bucket = wheels.insert(25);
  EXPECT_EQ(bucket.expiration, 20u);
  EXPECT_TRUE(wheels.expire(20));
  EXPECT_EQ(bucket.expiration, Wheel::Bucket::kUnused);
  EXPECT_EQ(wheels.wheel.next_expiry(), 25u);
}

// B-K-22, B-K-23, D-36
TEST(TimingWheel, ReachesToTheEndOfTimeWhateverItsSize) {
  constexpr Tick k20To14 = 1'638'400'000'000'000'000;
  for (const std::size_t size : {2u, 3u, 20u, 1000u}) {
    for (const Tick tick : {Tick{1} << 60, k20To14 - 1, k20To14, k20To14 + 1,
                            Tick{9'000'000'000'000'000'000}, kEndOfTime - 1}) {
      Wheels wheels(size);
      wheels.insert(tick);
      wheels.expire(tick - 1);
      EXPECT_THAT(wheels.due, IsEmpty()) << tick << ", " << size;
      EXPECT_TRUE(wheels.expire(tick));
      EXPECT_THAT(wheels.due, SizeIs(1)) << tick << ", " << size;
    }
    Wheels wheels(size);
    wheels.insert(kEndOfTime);
    wheels.expire(kEndOfTime - 1);
    EXPECT_THAT(wheels.due, IsEmpty()) << size;
  }
}

TEST(TimingWheel, FindsWhenABucketExpiresThatAnItemIsDueLater) {
  Wheels wheels(20);
  Item& item = wheels.insert_item(5);
  item.tick = 7;
  wheels.expire(6);
  EXPECT_THAT(wheels.due, IsEmpty());
  EXPECT_EQ(wheels.wheel.size(), 1u);
  wheels.expire(7);
  EXPECT_THAT(wheels.ticks_due(), ElementsAre(7));
}

TEST(TimingWheel, MakesTheWheelsForAnItemThatHasBecomeLater) {
  Wheels wheels(20);
  Item& item = wheels.insert_item(5);
  item.tick = 1'000;
  wheels.expire(5);
  EXPECT_EQ(wheels.wheel.levels(), 3u);
  EXPECT_EQ(wheels.wheel.next_expiry(), 800u);
  wheels.expire(999);
  EXPECT_THAT(wheels.due, IsEmpty());
  wheels.expire(1'000);
  EXPECT_THAT(wheels.ticks_due(), ElementsAre(1'000));
}

TEST(TimingWheel, KeepsAnItemForWhichItHasNoMemoryForWheels) {
  Wheels wheels(20);
  Item& item = wheels.insert_item(5);
  item.tick = 30;
  conformance::Ration ration{0};
  {
    const conformance::Rationing rationing(&ration);
    wheels.expire(5);
  }
  EXPECT_TRUE(ration.refused);
  EXPECT_EQ(wheels.wheel.levels(), 1u);
  EXPECT_EQ(wheels.wheel.next_expiry(), 24u);
  wheels.expire(29);
  EXPECT_THAT(wheels.due, IsEmpty());
  wheels.expire(30);
  EXPECT_THAT(wheels.ticks_due(), ElementsAre(30));
}

TEST(TimingWheel, MovesAnItemThatIsDueEarlier) {
  Wheels wheels(20);
  Item& item = wheels.insert_item(7'000);
  wheels.insert(7'000);
  wheels.move(item, 3);
  EXPECT_EQ(wheels.wheel.size(), 2u);
  EXPECT_EQ(wheels.wheel.next_expiry(), 3u);
  wheels.expire(3);
  EXPECT_THAT(wheels.ticks_due(), ElementsAre(3));
  wheels.expire(7'000);
  EXPECT_THAT(wheels.ticks_due(), ElementsAre(3, 7'000));
  EXPECT_EQ(wheels.wheel.size(), 0u);
}

TEST(TimingWheel, CancelsAnItemThatWasMoved) {
  Wheels wheels(2);
  std::vector<Item*> moved;
  for (int i = 0; i < 100; ++i) moved.push_back(&wheels.insert_item(1'000));
  for (Item* item : moved) wheels.move(*item, 500);
  for (Item* item : moved) EXPECT_TRUE(wheels.wheel.cancel(*item));
  for (Item* item : moved) EXPECT_FALSE(wheels.wheel.cancel(*item));
  EXPECT_EQ(wheels.wheel.size(), 0u);
  wheels.expire(2'000);
  EXPECT_THAT(wheels.due, IsEmpty());
}

//
TEST(TimingWheel, GivesOutByTheirTicksWhatIsDueAndWasNotCancelled) {
  std::mt19937_64 random(7);
  std::size_t given_out = 0;
  for (const std::size_t size : {2u, 3u, 20u}) {
    for (int round = 0; round < 20; ++round) {
      Wheels wheels(size);
      std::multimap<Tick, Item*> model;
      Tick now = 0;
      for (int step = 0; step < 2'000; ++step) {
        const std::uint64_t choice = random() % 8;
        if (choice < 4) {
          wheels.insert(wheels.wheel.now() + 1 + random() % (Tick{1} << random() % 16));
          model.emplace(wheels.items.back().tick, &wheels.items.back());
        } else if (choice < 7 && !model.empty()) {
          const auto victim = model.lower_bound(now + random() % 5'000);
          if (victim == model.end()) continue;
          Item& item = *victim->second;
          model.erase(victim);
          if (choice == 4) {
            ASSERT_TRUE(wheels.wheel.cancel(item));
            continue;
          }
          const Tick ahead = item.tick - wheels.wheel.now();
          if (choice == 5) {
            item.tick += random() % (2 * ahead);
          } else {
            wheels.move(item, item.tick - random() % ahead);
          }
          model.emplace(item.tick, &item);
        } else {
          now += random() % (Tick{1} << random() % 10);
          wheels.due.clear();
          wheels.expire(now);
          std::vector<Tick> expected;
          for (const auto& [tick, item] : model) {
            if (tick <= now) expected.push_back(tick);
          }
          model.erase(model.begin(), model.upper_bound(now));
          ASSERT_EQ(wheels.ticks_due(), expected);
          given_out += expected.size();
        }
        ASSERT_EQ(wheels.wheel.size(), model.size());
      }
    }
  }
  EXPECT_GT(given_out, 10'000u);
}

// B-K-13
TEST(TimingWheel, CancelsWhatItHoldsAndOnce) {
  Wheels wheels(20);
  Item stranger(5);
  wheels.insert(5);
  wheels.insert(5);
  wheels.insert(6);
  EXPECT_FALSE(wheels.wheel.cancel(stranger));
  EXPECT_TRUE(wheels.wheel.cancel(wheels.items[0]));
  EXPECT_FALSE(wheels.wheel.cancel(wheels.items[0]));
  EXPECT_EQ(wheels.wheel.size(), 2u);
  wheels.expire(5);
  EXPECT_FALSE(wheels.wheel.cancel(wheels.items[0]));
  EXPECT_FALSE(wheels.wheel.cancel(wheels.items[1]));
  EXPECT_EQ(wheels.wheel.size(), 1u);
  EXPECT_THAT(wheels.due, ElementsAre(&wheels.items[1]));
}

// A-101, D-35
TEST(TimingWheel, DropsWhatWasCancelledBeforeItIsMoreThanTheRest) {
  constexpr std::size_t kItems = 1'000;
  constexpr std::size_t kBuckets = 60;  // in three wheels
  TimingWheel<std::shared_ptr<Item>> wheel(0, 20);
  std::deque<std::weak_ptr<Item>> items;
  for (std::size_t i = 0; i < kItems; ++i) {
    auto item = std::make_shared<Item>(400 + i * 7);
    items.push_back(item);
    wheel.insert(std::move(item));
  }
  EXPECT_EQ(wheel.levels(), 3u);
  std::size_t alive = kItems;
  for (std::size_t i = 0; i < kItems; ++i) {
    ASSERT_TRUE(wheel.cancel(*items[i * 7 % kItems].lock()));
    ASSERT_EQ(wheel.size(), kItems - 1 - i);
    alive = static_cast<std::size_t>(std::count_if(
        items.begin(), items.end(), [](const auto& item) { return !item.expired(); }));
    ASSERT_LE(alive, 2 * wheel.size() + kBuckets);
  }
  EXPECT_GT(alive, 0u);
  const auto on_due = [](const auto&) { ADD_FAILURE() << "all was cancelled"; };
  EXPECT_TRUE(wheel.expire(10'000, on_due));
  for (const auto& item : items) EXPECT_TRUE(item.expired());
}

}  // namespace
}  // namespace timers
