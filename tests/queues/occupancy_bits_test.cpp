#include "impls/queues/parts/occupancy_bits.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <optional>
#include <random>
#include <set>

namespace timers {
namespace {

TEST(OccupancyBits, FindTheFirstMemberFromAnyNumberOn) {
  constexpr std::size_t kSize = 10'000;  // more than one word of the summary
  std::mt19937_64 random(1);
  for (const std::size_t members : {0u, 1u, 3u, 300u, 9'000u}) {
    OccupancyBits bits(kSize);
    std::set<std::size_t> model;
    for (std::size_t i = 0; i < 2 * members; ++i) {
      const std::size_t bit = random() % kSize;
      if (i % 4 == 3) {
        bits.clear(bit);
        model.erase(bit);
      } else {
        bits.set(bit);
        model.insert(bit);
      }
    }
    for (std::size_t from = 0; from <= kSize; ++from) {
      const auto expected = model.lower_bound(from);
      ASSERT_EQ(bits.first_from(from),
                expected == model.end() ? std::nullopt : std::optional(*expected))
          << "from " << from;
    }
  }
}

}  // namespace
}  // namespace timers
