/// What is special about the binary heap: its order of equal keys, and what only it can do.

#include "impls/parts/position_heap.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "tests/queues/noted_heap.hpp"

namespace timers {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

//
TEST(PositionHeap, LetsTheLastEntryRiseWhenItFillsAHole) {
  NotedHeap<BinaryHeap> heap;
  for (const int key : {1, 20, 2, 30, 21, 3, 4, 40, 31, 22, 23, 10, 11, 5, 6}) heap.push(key, key);
  EXPECT_EQ(heap.remove(30), 30);
  EXPECT_EQ(heap.remove(21), 21);
  EXPECT_THAT(heap.drain(), ElementsAre(1, 2, 3, 4, 5, 6, 10, 11, 20, 22, 23, 31, 40));
}

/// Inserts `ids` in this order with one key. Returns the order in which they leave.
std::string order_of_ties(const std::string& ids) {
  NotedHeap<BinaryHeap> heap;
  for (const char id : ids) heap.push(100, id);
  std::string order;
  while (!heap.heap().empty()) {
    order += static_cast<char>(heap.heap().front().id);
    heap.remove_first();
  }
  return order;
}

// B-T-11, B-Q-04
TEST(PositionHeap, LeavesTiesToTheHeapAsTheJdkDoes) {
  EXPECT_EQ(order_of_ties("ABCD"), "ADCB");
  EXPECT_EQ(order_of_ties("ABCDE"), "AEDCB");
  EXPECT_EQ(order_of_ties("ABCDEFGH"), "AHGFEDCB");
  EXPECT_EQ(order_of_ties("ABCDEFGHIJ"), "AJIHGFEDCB");
}

// B-T-12
TEST(PositionHeap, MixesTiesAsTheJdkDoes) {
  NotedHeap<BinaryHeap> heap;
  int id = 0;
  for (const int key : {50, 10, 30, 10, 50, 30, 10}) heap.push(key, id++);
  std::vector<int> order;
  while (!heap.heap().empty()) {
    order.push_back(heap.heap().front().id);
    heap.remove_first();
  }
  EXPECT_THAT(order, ElementsAre(1, 3, 6, 2, 5, 0, 4));
}

TEST(PositionHeap, RemovesAllThatAreDeadAtOnce) {
  NotedHeap<BinaryHeap> heap;
  for (int key = 0; key < 100; ++key) heap.push((key * 37) % 100, key);
  EXPECT_EQ(heap.remove_if([](int key) { return key % 3 != 0; }), 66u);
  EXPECT_EQ(heap.remove_if([](int key) { return key % 3 != 0; }), 0u);
  std::vector<int> multiples;
  for (int key = 0; key < 100; key += 3) multiples.push_back(key);
  EXPECT_EQ(heap.drain(), multiples);
}

TEST(PositionHeap, RemovesTheDeadWhereverTheyAre) {
  const std::vector<std::pair<int, int>> cases = {{1, 0}, {1, 1}, {5, 0}, {5, 5}, {5, 1}, {6, 4}};
  for (const auto& [size, survivors] : cases) {
    NotedHeap<BinaryHeap> heap;
    for (int key = 0; key < size; ++key) heap.push(key, key);
    const int least = size - survivors;
    EXPECT_EQ(heap.remove_if([&](int key) { return key < least; }),
              static_cast<std::size_t>(least));
    EXPECT_EQ(heap.drain().size(), static_cast<std::size_t>(survivors));
  }
}

TEST(PositionHeap, ShowsAndGivesAwayAllItsEntries) {
  NotedHeap<BinaryHeap> heap;
  for (int key = 0; key < 5; ++key) heap.push(key, key);
  std::vector<int> seen;
  heap.heap().for_each([&](const BinaryHeap::Entry& entry) { seen.push_back(entry.id); });
  EXPECT_THAT(seen, UnorderedElementsAre(0, 1, 2, 3, 4));
  EXPECT_EQ(heap.heap().take_all().size(), 5u);
  EXPECT_TRUE(heap.heap().empty());
  EXPECT_THAT(heap.drain(), IsEmpty());
}

}  // namespace
}  // namespace timers
