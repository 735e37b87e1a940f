#pragma once

/// The array under a heap, with the calls that do not depend on the number of children.

#include <algorithm>
#include <cstddef>
#include <memory>
#include <vector>

namespace timers {

/// Heaps derive from it, and order `entries_`.
template <class Entry, class Allocator = std::allocator<Entry>>
class HeapArray {
 public:
  bool empty() const { return entries_.empty(); }
  std::size_t size() const { return entries_.size(); }

  /// The first entry: no other entry is before it.
  const Entry& front() const { return entries_.front(); }

  const Entry& operator[](std::size_t position) const { return entries_[position]; }

  /// Makes sure that the next `push` does not throw.
  void reserve_one() {
    if (entries_.size() == entries_.capacity()) entries_.reserve(2 * entries_.size() + 1);
  }

  /// Makes sure that no `push` throws as long as there are at most `count` entries.
  void reserve_for(std::size_t count) {
    if (count > entries_.capacity()) entries_.reserve(std::max(count, 2 * entries_.capacity()));
  }

 protected:
  std::vector<Entry, Allocator> entries_;
};

}  // namespace timers
