/// What both heaps must do: after every call each is a heap, and each entry knows its position.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <random>
#include <unordered_map>
#include <vector>

#include "tests/conformance/sanitizers.hpp"
#include "tests/queues/noted_heap.hpp"

namespace timers {
namespace {

using testing::ElementsAre;

template <class Kind>
class AHeap : public testing::Test {};

using Kinds = testing::Types<BinaryHeap, HeapOfFour>;
TYPED_TEST_SUITE(AHeap, Kinds);

TYPED_TEST(AHeap, GivesTheLeastFirst) {
  NotedHeap<TypeParam> heap;
  int id = 0;
  for (const int key : {5, 3, 8, 1, 9, 2, 7, 4, 6, 0}) heap.push(key, id++);
  EXPECT_EQ(heap.heap().front().key(), 0);
  EXPECT_THAT(heap.drain(), ElementsAre(0, 1, 2, 3, 4, 5, 6, 7, 8, 9));
  EXPECT_TRUE(heap.heap().empty());
}

TYPED_TEST(AHeap, RemovesAnyEntryOfAnySize) {
  for (int size = 1; size <= 40; ++size) {
    for (int victim = 0; victim < size; ++victim) {
      NotedHeap<TypeParam> heap;
      for (int id = 0; id < size; ++id) heap.push(id * 7 % size, id);
      heap.remove(victim);
      const std::vector<int> keys = heap.drain();
      EXPECT_EQ(keys.size(), static_cast<std::size_t>(size - 1));
      EXPECT_TRUE(std::is_sorted(keys.begin(), keys.end()));
    }
  }
}

TYPED_TEST(AHeap, MovesAnEntryUpOrDownWhenItIsReplaced) {
  NotedHeap<TypeParam> heap;
  for (int id = 0; id < 25; ++id) heap.push(10 * id, id);
  heap.replace(24, -5);
  heap.replace(0, 245);
  heap.replace(7, 71);
  std::vector<int> expected = {-5, 71, 245};
  for (int id = 1; id < 24; ++id) {
    if (id != 7) expected.push_back(10 * id);
  }
  std::sort(expected.begin(), expected.end());
  EXPECT_EQ(heap.drain(), expected);
}

TYPED_TEST(AHeap, HasRoomForOneMoreWhenItWasAskedTo) {
  using Entry = typename TypeParam::Entry;
  typename TypeParam::Heap heap;
  const auto nowhere = [](const Entry&, std::size_t) {};
  const Entry* first = nullptr;
  for (int key = 0; key < 1000; ++key) {
    heap.reserve_one();
    if (!heap.empty()) first = &heap.front();
    heap.push(Entry(key, key), nowhere);
    ASSERT_TRUE(first == nullptr || first == &heap.front()) << "the push moved the array";
  }
  EXPECT_EQ(heap.size(), 1000u);
}

//
TYPED_TEST(AHeap, AgreesWithASortedListAfterAnyCalls) {
  for (unsigned seed = 0; seed < conformance::share_of(20u); ++seed) {
    std::mt19937 random(seed);
    const auto below = [&](std::size_t bound) { return random() % bound; };
    NotedHeap<TypeParam> heap;
    std::unordered_map<int, int> keys;
    std::vector<int> ids;
    for (int call = 0; call < 2000; ++call) {
      const int key = static_cast<int>(below(50));
      const std::size_t choice = below(10);
      if (ids.empty() || choice < 5) {
        heap.push(key, call);
        keys[call] = key;
        ids.push_back(call);
      } else if (const std::size_t any = below(ids.size()); choice < 7) {
        heap.replace(ids[any], key);
        keys[ids[any]] = key;
      } else {
        EXPECT_EQ(heap.remove(ids[any]), keys[ids[any]]);
        keys.erase(ids[any]);
        ids.erase(ids.begin() + static_cast<std::ptrdiff_t>(any));
      }
      if (testing::Test::HasFailure()) FAIL() << "seed " << seed << ", call " << call;
    }
    std::vector<int> left;
    for (const auto& [id, key] : keys) left.push_back(key);
    std::sort(left.begin(), left.end());
    EXPECT_FALSE(left.empty());
    EXPECT_EQ(heap.drain(), left);
  }
}

}  // namespace
}  // namespace timers
