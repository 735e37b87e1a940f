#include "impls/small_set.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <set>

#include "tests/conformance/random.hpp"

namespace timers {
namespace {

template <std::size_t kSize>
void agrees_with_a_set() {
  conformance::Random random(1);
  SmallSet<kSize> small;
  std::set<std::size_t> reference;
  for (int i = 0; i < 10'000; ++i) {
    const std::size_t number = random.below(kSize);
    if (random.one_in(2)) {
      small.set(number);
      reference.insert(number);
    } else {
      small.clear(number);
      reference.erase(number);
    }
    ASSERT_EQ(small.none(), reference.empty());
    ASSERT_EQ(small.first(), reference.empty() ? kSize : *reference.begin());
    const std::size_t from = random.below(kSize + 2);
    const auto found = reference.lower_bound(from);
    ASSERT_EQ(small.first_from(from), found == reference.end() ? kSize : *found);
  }
}

TEST(SmallSet, FindsItsMembersInOrder) {
  agrees_with_a_set<4>();
  agrees_with_a_set<64>();
  agrees_with_a_set<256>();
}

}  // namespace
}  // namespace timers
