/// The bench of memory itself touches the memory that it should, and its checksums find a wrong
/// walk.

#include "benches/harness/machine/memory_touches.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <utility>
#include <vector>

namespace timers::benches {
namespace {

std::size_t length_of_the_cycle_through_0(const std::vector<std::uint32_t>& next) {
  std::size_t length = 1;
  for (std::uint32_t at = next[0]; at != 0 && length <= next.size(); at = next[at]) ++length;
  return length;
}

TEST(Floor, WalksASingleCycleThroughAllLines) {
  for (const std::size_t n : {1u, 2u, 3u, 10u, 1000u, 4096u}) {
    EXPECT_EQ(length_of_the_cycle_through_0(single_cycle(n)), n);
  }
}

TEST(Floor, WalksInNoOrder) {
  const std::vector<std::uint32_t> next = single_cycle(1000);
  std::size_t near = 0;
  for (std::size_t i = 0; i < next.size(); ++i) near += next[i] + 10 >= i && next[i] <= i + 10;
  EXPECT_LT(near, 100u);
}

template <class Touches>
class FloorOf : public testing::Test {};

using All = testing::Types<Dependent, Independent, Append, Stream>;
TYPED_TEST_SUITE(FloorOf, All);

TYPED_TEST(FloorOf, ProvesEachPass) {
  TypeParam touches(1000);
  for (std::size_t passes = 1; passes <= 3; ++passes) {
    touches.pass();
    EXPECT_NO_THROW(touches.prove(passes));
  }
}

TYPED_TEST(FloorOf, FindsThatAPassIsMissing) {
  TypeParam touches(1000);
  EXPECT_THROW(touches.prove(1), std::runtime_error);
  touches.pass();
  EXPECT_THROW(touches.prove(2), std::runtime_error);
}

TEST(Floor, FindsAWalkThatLeavesLinesOut) {
  std::vector<std::uint32_t> next = single_cycle(1000);
  std::swap(next[0], next[500]);  // splits the cycle in two
  Dependent walk(next);
  walk.pass();
  EXPECT_THROW(walk.prove(1), std::runtime_error);
}

TEST(Floor, FindsAWalkThatStandsStill) {
  Dependent walk(std::vector<std::uint32_t>(1000, 0));
  walk.pass();
  EXPECT_THROW(walk.prove(1), std::runtime_error);
}

TEST(Floor, FindsAWalkThatOnlyAddsUp) {
  Dependent walk({3, 1, 2, 1});  // the sum of 3, 1, 1, 1 is that of 0, 1, 2, 3
  walk.pass();
  EXPECT_THROW(walk.prove(1), std::runtime_error);
}

}  // namespace
}  // namespace timers::benches
