#include "impls/queues/parts/occupancy_bits.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <optional>
#include <random>
#include <set>

namespace timers {
namespace {

/// Compares the bits with a std::set of `members` members, from each number on.
template <class Bits>
void compare_with_a_set(Bits bits, std::size_t size, std::size_t members) {
  std::mt19937_64 random(1);
  std::set<std::size_t> model;
  for (std::size_t i = 0; i < 2 * members; ++i) {
    const std::size_t bit = random() % size;
    if (i % 4 == 3) {
      bits.clear(bit);
      model.erase(bit);
    } else {
      bits.set(bit);
      model.insert(bit);
    }
  }
  for (std::size_t from = 0; from <= size; ++from) {
    const auto expected = model.lower_bound(from);
    ASSERT_EQ(bits.first_from(from),
              expected == model.end() ? std::nullopt : std::optional(*expected))
        << "from " << from;
  }
  ASSERT_EQ(bits.first(), bits.first_from(0));
}

TEST(OccupancyBits, FindTheFirstMemberFromAnyNumberOn) {
  constexpr std::size_t kSize = 10'000;  // more than one word of the summary
  for (const std::size_t members : {0u, 1u, 3u, 300u, 9'000u}) {
    compare_with_a_set(OccupancyBits<>(kSize), kSize, members);
  }
}

TEST(OccupancyBits, FindItAlsoWhereTheSizeIsFixed) {
  for (const std::size_t members : {0u, 1u, 3u, 300u, 4'000u}) {
    compare_with_a_set(OccupancyBits<4096>(), 4096, members);
    compare_with_a_set(OccupancyBits<130>(), 130, members);
  }
}

}  // namespace
}  // namespace timers
