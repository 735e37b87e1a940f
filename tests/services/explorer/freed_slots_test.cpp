/// Two threads free slots of a block, or end. In all executions that the memory model allows, no
/// slot is lost, and the memory is given back once.

#include "impls/services/parts/freed_slots.hpp"

#include <gtest/gtest.h>

#include "tests/services/explorer/expect_explored.hpp"
#include "tests/services/explorer/programs/freed_slots.hpp"

namespace timers {
namespace {

using namespace programs;  // NOLINT(google-build-using-namespace): the tests are about these

TEST(FreedSlotsInterleavings, HaveOneMiddleAndOneLast) { expect_no_fault<TwoFreers>(); }
TEST(FreedSlotsInterleavings, LoseNoSlotToTheThreadThatTakes) { expect_no_fault<FreerAndSource>(); }
TEST(FreedSlotsInterleavings, GiveTheMemoryBackOnce) {
  expect_no_fault<ShelfAndLastFreer>();
  expect_no_fault<OwnerAndLastFreer<true>>();
  expect_no_fault<OwnerAndLastFreer<false>>();
}
TEST(FreedSlotsInterleavings, LoseNoSlotOfAThreadThatEnds) { expect_no_fault<FreerAndLastOwner>(); }

}  // namespace
}  // namespace timers
