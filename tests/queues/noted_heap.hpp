#pragma once

/// Heaps whose positions are recorded, and checked after each call: the binary heap and the heap of
/// four children a node. Their entries can only do what the heaps may require.

#include <gtest/gtest.h>

#include <cstddef>
#include <memory>
#include <unordered_map>
#include <vector>

#include "impls/parts/position_heap.hpp"
#include "impls/queues/parts/wide_heap.hpp"

namespace timers {

struct BinaryHeap {
  static constexpr std::size_t kChildren = 2;

  /// An entry with a key. It cannot be copied. After a move it has no key.
  struct Entry {
    Entry(int its_key, int its_id) : id(its_id), key_(std::make_unique<int>(its_key)) {}
    bool before(const Entry& other) const { return key() < other.key(); }
    bool has_key() const { return key_ != nullptr; }
    int key() const { return *key_; }

    int id;

   private:
    std::unique_ptr<int> key_;
  };
  using Heap = PositionHeap<Entry>;
};

struct HeapOfFour {
  static constexpr std::size_t kChildren = 4;

  struct Entry {
    Entry(int its_key, int its_id) : id(its_id), key_(its_key) {}
    bool before(const Entry& other) const { return key() < other.key(); }
    bool has_key() const { return true; }
    int key() const { return key_; }

    int id;

   private:
    int key_;
  };
  using Heap = WideHeap<Entry>;
};

template <class Kind>
class NotedHeap {
  using Entry = typename Kind::Entry;

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
    return removed.key();
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
          const bool dead = is_dead(entry.key());
          if (dead) positions_.erase(entry.id);
          return dead;
        },
        note());
    check();
    return removed;
  }
  template <class Change>
  void sort(Change change) {
    heap_.sort(change, note());
    check();
  }
  std::vector<int> drain() {
    std::vector<int> keys;
    while (!heap_.empty()) keys.push_back(remove_first());
    return keys;
  }

  const typename Kind::Heap& heap() const { return heap_; }
  typename Kind::Heap& heap() { return heap_; }

 private:
  //
  void check() const {
    ASSERT_EQ(heap_.size(), positions_.size());
    ASSERT_EQ(heap_.empty(), positions_.empty());
    for (std::size_t i = 0; i < heap_.size(); ++i) {
      ASSERT_TRUE(heap_[i].has_key()) << "at " << i;
      ASSERT_EQ(positions_.at(heap_[i].id), i);
      ASSERT_FALSE(i > 0 && heap_[i].before(heap_[(i - 1) / Kind::kChildren])) << "at " << i;
    }
  }

  typename Kind::Heap heap_;
  std::unordered_map<int, std::size_t> positions_;
};

}  // namespace timers
