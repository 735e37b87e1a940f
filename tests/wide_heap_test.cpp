/// A heap of four children a node that is a heap after every call, and knows where each entry is.

#include "impls/wide_heap.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <random>
#include <unordered_map>
#include <vector>

namespace timers {
namespace {

using testing::ElementsAre;

struct Entry {
  int key;
  int id;
  bool before(const Entry& other) const { return key < other.key; }
};

/// A heap whose positions are noted, and checked after each call.
class NotedHeap {
  auto note() {
    return [this](const Entry& entry, std::size_t position) { positions_[entry.id] = position; };
  }

 public:
  void push(int key, int id) {
    heap_.push({key, id}, note());
    check();
  }
  int remove(int id) {
    const Entry removed = heap_.remove(positions_.at(id), note());
    EXPECT_EQ(removed.id, id);
    positions_.erase(id);
    check();
    return removed.key;
  }
  void replace(int id, int key) {
    heap_.replace(positions_.at(id), {key, id}, note());
    check();
  }
  template <class Change>
  void sort(Change change) {
    heap_.sort(change, note());
    check();
  }
  std::vector<int> drain() {
    std::vector<int> keys;
    while (!heap_.empty()) keys.push_back(remove(heap_.front().id));
    return keys;
  }

  const WideHeap<Entry>& heap() const { return heap_; }

 private:
  //
  void check() const {
    ASSERT_EQ(heap_.size(), positions_.size());
    ASSERT_EQ(heap_.empty(), positions_.empty());
    for (std::size_t i = 0; i < heap_.size(); ++i) {
      ASSERT_EQ(positions_.at(heap_[i].id), i);
      ASSERT_FALSE(i > 0 && heap_[i].before(heap_[(i - 1) / 4])) << "at " << i;
    }
  }

  WideHeap<Entry> heap_;
  std::unordered_map<int, std::size_t> positions_;
};

TEST(WideHeap, GivesTheLeastFirst) {
  NotedHeap heap;
  int id = 0;
  for (const int key : {5, 3, 8, 1, 9, 2, 7, 4, 6, 0}) heap.push(key, id++);
  EXPECT_EQ(heap.heap().front().key, 0);
  EXPECT_THAT(heap.drain(), ElementsAre(0, 1, 2, 3, 4, 5, 6, 7, 8, 9));
  EXPECT_TRUE(heap.heap().empty());
}

//
TEST(WideHeap, LetsTheLastEntryRiseWhenItFillsAHole) {
  NotedHeap heap;
  for (const int key : {1, 50, 2, 3, 4, 60, 61, 62, 63, 10, 11, 12}) heap.push(key, key);
  EXPECT_EQ(heap.remove(60), 60);
  EXPECT_EQ(heap.heap()[1].key, 12) << "the last entry has not risen";
  EXPECT_THAT(heap.drain(), ElementsAre(1, 2, 3, 4, 10, 11, 12, 50, 61, 62, 63));
}

TEST(WideHeap, RemovesAnyEntryOfAnySize) {
  for (int size = 1; size <= 40; ++size) {
    for (int victim = 0; victim < size; ++victim) {
      NotedHeap heap;
      for (int id = 0; id < size; ++id) heap.push(id * 7 % size, id);
      heap.remove(victim);
      const std::vector<int> keys = heap.drain();
      EXPECT_EQ(keys.size(), static_cast<std::size_t>(size - 1));
      EXPECT_TRUE(std::is_sorted(keys.begin(), keys.end()));
    }
  }
}

TEST(WideHeap, MovesAnEntryUpOrDownWhenItIsReplaced) {
  NotedHeap heap;
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

TEST(WideHeap, IsAHeapWhenItIsSorted) {
  NotedHeap heap;
  for (int key = 0; key < 100; ++key) heap.push(key * 37 % 100, key);
  std::vector<int> seen;
  heap.sort([&](Entry& entry) {
    seen.push_back(entry.key);
    entry.key *= 2;
  });
  ASSERT_EQ(seen.size(), 100u);
  EXPECT_TRUE(std::is_sorted(seen.begin(), seen.end()));
  heap.push(7, 100);
  const std::vector<int> keys = heap.drain();
  EXPECT_EQ(keys[4], 7);
  EXPECT_EQ(keys.back(), 198);
}

TEST(WideHeap, HasRoomForOneMoreWhenItWasAskedTo) {
  WideHeap<Entry> heap;
  const auto nowhere = [](const Entry&, std::size_t) {};
  const Entry* first = nullptr;
  for (int key = 0; key < 1000; ++key) {
    heap.reserve_one();
    if (!heap.empty()) first = &heap.front();
    heap.push({key, key}, nowhere);
    ASSERT_TRUE(first == nullptr || first == &heap.front()) << "the push moved the array";
  }
  EXPECT_EQ(heap.size(), 1000u);
}

//
TEST(WideHeap, AgreesWithASortedListAfterAnyCalls) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    std::mt19937 random(seed);
    const auto below = [&](std::size_t bound) { return random() % bound; };
    NotedHeap heap;
    std::unordered_map<int, int> keys;
    std::vector<int> ids;
    for (int call = 0; call < 2000; ++call) {
      const int key = static_cast<int>(below(50));
      const std::size_t choice = below(10);
      if (ids.empty() || choice < 5) {
        heap.push(key, call);
        keys[call] = key;
        ids.push_back(call);
      } else if (const std::size_t place = below(ids.size()); choice < 7) {
        heap.replace(ids[place], key);
        keys[ids[place]] = key;
      } else {
        EXPECT_EQ(heap.remove(ids[place]), keys[ids[place]]);
        keys.erase(ids[place]);
        ids.erase(ids.begin() + static_cast<std::ptrdiff_t>(place));
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
