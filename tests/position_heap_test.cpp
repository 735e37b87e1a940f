/// A heap that is a heap after every call, and knows where each entry stands.

#include "impls/position_heap.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <random>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace timers {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

/// An entry with a key, which cannot be copied. One that was moved from has none.
struct Entry {
  Entry(int its_key, int its_id) : key(std::make_unique<int>(its_key)), id(its_id) {}
  bool before(const Entry& other) const { return *key < *other.key; }

  std::unique_ptr<int> key;
  int id;
};

/// A heap whose positions are noted, and checked after each call.
class NotedHeap {
  auto note() {
    return [this](const Entry& entry, std::size_t position) { positions_[entry.id] = position; };
  }

 public:
  void push(int key, int id) {
    heap_.push(Entry(key, id), note());
    check();
  }
  int remove(int id) {
    const Entry removed = heap_.remove(positions_.at(id), note());
    EXPECT_EQ(removed.id, id);
    positions_.erase(id);
    check();
    return *removed.key;
  }
  int remove_first() { return remove(heap_.front().id); }
  void replace(int id, int key) {
    heap_.replace(positions_.at(id), Entry(key, id), note());
    check();
  }
  template <class IsDead>
  std::size_t remove_if(IsDead is_dead) {
    const std::size_t removed = heap_.remove_if(
        [&](const Entry& entry) {
          const bool dead = is_dead(*entry.key);
          if (dead) positions_.erase(entry.id);
          return dead;
        },
        note());
    check();
    return removed;
  }
  std::vector<int> drain() {
    std::vector<int> keys;
    while (!heap_.empty()) keys.push_back(remove_first());
    return keys;
  }

  const PositionHeap<Entry>& heap() const { return heap_; }
  PositionHeap<Entry>& heap() { return heap_; }

 private:
  //
  void check() const {
    ASSERT_EQ(heap_.size(), positions_.size());
    ASSERT_EQ(heap_.empty(), positions_.empty());
    for (std::size_t i = 0; i < heap_.size(); ++i) {
      ASSERT_NE(heap_[i].key, nullptr) << "at " << i;
      ASSERT_EQ(positions_.at(heap_[i].id), i);
      ASSERT_FALSE(i > 0 && heap_[i].before(heap_[(i - 1) / 2])) << "at " << i;
    }
  }

  PositionHeap<Entry> heap_;
  std::unordered_map<int, std::size_t> positions_;
};

TEST(PositionHeap, GivesTheLeastFirst) {
  NotedHeap heap;
  int id = 0;
  for (const int key : {5, 3, 8, 1, 9, 2, 7, 4, 6, 0}) heap.push(key, id++);
  EXPECT_EQ(*heap.heap().front().key, 0);
  EXPECT_THAT(heap.drain(), ElementsAre(0, 1, 2, 3, 4, 5, 6, 7, 8, 9));
  EXPECT_TRUE(heap.heap().empty());
}

//
TEST(PositionHeap, LetsTheLastEntryRiseWhenItFillsAHole) {
  NotedHeap heap;
  for (const int key : {1, 20, 2, 30, 21, 3, 4, 40, 31, 22, 23, 10, 11, 5, 6}) heap.push(key, key);
  EXPECT_EQ(heap.remove(30), 30);
  EXPECT_EQ(heap.remove(21), 21);
  EXPECT_THAT(heap.drain(), ElementsAre(1, 2, 3, 4, 5, 6, 10, 11, 20, 22, 23, 31, 40));
}

TEST(PositionHeap, RemovesAnyEntryOfAnySize) {
  for (int size = 1; size <= 20; ++size) {
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

TEST(PositionHeap, MovesAnEntryUpOrDownWhenItIsReplaced) {
  NotedHeap heap;
  for (int id = 0; id < 15; ++id) heap.push(10 * id, id);
  heap.replace(14, -5);
  heap.replace(0, 145);
  heap.replace(7, 71);
  EXPECT_THAT(heap.drain(),
              ElementsAre(-5, 10, 20, 30, 40, 50, 60, 71, 80, 90, 100, 110, 120, 130, 145));
}

/// The ids in the order in which they leave, when they came in the order of `ids` with one key.
std::string order_of_ties(const std::string& ids) {
  NotedHeap heap;
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
  NotedHeap heap;
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
  NotedHeap heap;
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
    NotedHeap heap;
    for (int key = 0; key < size; ++key) heap.push(key, key);
    const int least = size - survivors;
    EXPECT_EQ(heap.remove_if([&](int key) { return key < least; }),
              static_cast<std::size_t>(least));
    EXPECT_EQ(heap.drain().size(), static_cast<std::size_t>(survivors));
  }
}

TEST(PositionHeap, ShowsAndGivesAwayAllItsEntries) {
  NotedHeap heap;
  for (int key = 0; key < 5; ++key) heap.push(key, key);
  std::vector<int> seen;
  heap.heap().for_each([&](const Entry& entry) { seen.push_back(entry.id); });
  EXPECT_THAT(seen, UnorderedElementsAre(0, 1, 2, 3, 4));
  EXPECT_EQ(heap.heap().take_all().size(), 5u);
  EXPECT_TRUE(heap.heap().empty());
  EXPECT_THAT(heap.drain(), IsEmpty());
}

TEST(PositionHeap, HasRoomForOneMoreWhenItWasAskedTo) {
  PositionHeap<Entry> heap;
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
TEST(PositionHeap, AgreesWithASortedListAfterAnyCalls) {
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
