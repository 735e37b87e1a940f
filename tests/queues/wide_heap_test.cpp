/// What is special about the heap of four children a node.

#include "impls/queues/parts/wide_heap.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "impls/queues/parts/heap_entry.hpp"
#include "tests/queues/noted_heap.hpp"

namespace timers {
namespace {

using testing::ElementsAre;

//
TEST(WideHeap, LetsTheLastEntryRiseWhenItFillsAHole) {
  NotedHeap<HeapOfFour> heap;
  for (const int key : {1, 50, 2, 3, 4, 60, 61, 62, 63, 10, 11, 12}) heap.push(key, key);
  EXPECT_EQ(heap.remove(60), 60);
  EXPECT_EQ(heap.heap()[1].key(), 12) << "the last entry has not risen";
  EXPECT_THAT(heap.drain(), ElementsAre(1, 2, 3, 4, 10, 11, 12, 50, 61, 62, 63));
}

TEST(WideHeap, IsAHeapWhenItIsSorted) {
  NotedHeap<HeapOfFour> heap;
  for (int key = 0; key < 100; ++key) heap.push(key * 37 % 100, key);
  std::vector<int> seen;
  heap.sort([&](HeapOfFour::Entry& entry) {
    seen.push_back(entry.key());
    entry = {2 * entry.key(), entry.id};
  });
  ASSERT_EQ(seen.size(), 100u);
  EXPECT_TRUE(std::is_sorted(seen.begin(), seen.end()));
  heap.push(7, 100);
  const std::vector<int> keys = heap.drain();
  EXPECT_EQ(keys[4], 7);
  EXPECT_EQ(keys.back(), 198);
}

TEST(WideHeap, RemovesTheDeadWhereverTheyAre) {
  for (int divisor = 1; divisor <= 7; ++divisor) {
    NotedHeap<HeapOfFour> heap;
    std::vector<int> left;
    for (int key = 0; key < 100; ++key) heap.push(key * 37 % 100, key);
    for (int key = 0; key < 100; ++key) {
      if (key % divisor != 0) left.push_back(key);
    }
    const auto is_dead = [&](int key) { return key % divisor == 0; };
    EXPECT_EQ(heap.remove_if(is_dead), 100 - left.size());
    EXPECT_EQ(heap.drain(), left);
  }
}

TEST(WideHeap, HasSiblingsInOneLineOfTheCache) {
  WideHeap<HeapEntry> heap;
  for (std::uint32_t i = 0; i < 1000; ++i) {
    heap.push(HeapEntry(1, i, i), [](const HeapEntry&, std::size_t) {});
    for (const std::size_t first : {std::size_t{1}, 4 * (heap.size() / 8) + 1}) {
      if (first >= heap.size()) continue;
      ASSERT_EQ(reinterpret_cast<std::uintptr_t>(&heap[first]) % 64, 0u) << "entry " << first;
    }
  }
}

}  // namespace
}  // namespace timers
