#include "impls/queues/parts/wheel_levels.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

namespace timers {
namespace {

/// Levels whose number of bits divides 64, and levels whose number does not.
template <class Levels>
class WheelLevelsOf : public testing::Test {};

using AllLevels =
    testing::Types<WheelLevels<1>, WheelLevels<2>, WheelLevels<3>, WheelLevels<8>, WheelLevels<16>>;
TYPED_TEST_SUITE(WheelLevelsOf, AllLevels);

/// Ticks at the cursor and after it, near and far, up to the last one.
std::vector<Tick> ticks_from(Tick cursor, std::mt19937_64& random) {
  std::vector<Tick> ticks{cursor, ~Tick{0}};
  for (unsigned bits = 0; bits < 64; ++bits) {
    const Tick delay = random() >> bits;
    if (delay <= ~Tick{0} - cursor) ticks.push_back(cursor + delay);
  }
  std::ranges::sort(ticks);
  return ticks;
}

TYPED_TEST(WheelLevelsOf, OrderBucketsByTime) {
  std::mt19937_64 random(1);
  for (unsigned bits = 0; bits < 64; ++bits) {
    const Tick cursor = random() >> bits;
    typename TypeParam::Bucket last = 0;
    for (const Tick tick : ticks_from(cursor, random)) {
      const auto bucket = TypeParam::bucket_for(tick, cursor);
      ASSERT_LT(bucket, TypeParam::kBuckets);
      ASSERT_GE(bucket, last) << tick << " from " << cursor;
      last = bucket;
    }
  }
}

TYPED_TEST(WheelLevelsOf, KnowWhereTheBucketOfATickStarts) {
  std::mt19937_64 random(2);
  for (unsigned bits = 0; bits < 64; ++bits) {
    const Tick cursor = random() >> bits;
    for (const Tick tick : ticks_from(cursor, random)) {
      const auto bucket = TypeParam::bucket_for(tick, cursor);
      const Tick start = TypeParam::start_of(bucket, cursor);
      ASSERT_LE(start, tick) << "from " << cursor;
      ASSERT_EQ(TypeParam::bucket_for(start, cursor), bucket) << tick << " from " << cursor;
      if (start > cursor) {
        ASSERT_NE(TypeParam::bucket_for(start - 1, cursor), bucket) << tick << " from " << cursor;
      }
    }
  }
}

TEST(WheelLevels, AreDigits) {
  using Hexadecimal = WheelLevels<4>;
  EXPECT_EQ(Hexadecimal::bucket_for(0x1239, 0x1234), 0 * 16 + 9u);
  EXPECT_EQ(Hexadecimal::bucket_for(0x1293, 0x1234), 1 * 16 + 9u);
  EXPECT_EQ(Hexadecimal::bucket_for(0x1934, 0x1234), 2 * 16 + 9u);
  EXPECT_EQ(Hexadecimal::start_of(1 * 16 + 9, 0x1234), 0x1290u);
  EXPECT_EQ(Hexadecimal::start_of(2 * 16 + 9, 0x1234), 0x1900u);
  EXPECT_EQ(Hexadecimal::level_of(0), 0u);
  EXPECT_EQ(Hexadecimal::level_of(~Tick{0}), 15u);
  EXPECT_EQ(Hexadecimal::kBuckets, 16 * 16u);
}

}  // namespace
}  // namespace timers
