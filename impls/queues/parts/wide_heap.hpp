#pragma once

/// A heap with four children per node, which tells each entry where it stands.
///
/// A d-ary heap (Johnson, 1975): half as deep as a binary one, so that an insert compares half as
/// often, and a removal touches half as many entries. Four siblings of 16 bytes stand in one cache
/// line, and the least of them is found without a branch. While they are compared, all lines of the
/// next level that may be needed are fetched: this halves the time of a large heap. A hole is
/// filled as in Wegener's bottom-up heapsort (1993): it sinks to a leaf, and the last entry goes
/// there. That entry was a leaf before, so it seldom rises far.
///
///     push, remove, replace    O(log n); push O(1) on average for entries in random order
///     front, substitute        O(1)
///     remove_if                O(n)
///     sort                     O(n log n), no allocation

#include <algorithm>
#include <cstddef>
#include <type_traits>

#include "impls/parts/heap_array.hpp"
#include "impls/queues/parts/sibling_allocator.hpp"

namespace timers {

/// `Entry` has `before(other)`. If it does not order two entries, the structure of the heap decides
/// their order. A function that takes `placed` calls `placed(entry, position)` for each entry that
/// it puts into a position.
template <class Entry>
class WideHeap : public HeapArray<Entry, SiblingAllocator<Entry>> {
  static_assert(std::is_trivially_copyable_v<Entry>);
  using HeapArray<Entry, SiblingAllocator<Entry>>::entries_;

 public:
  template <class Placed>
  void push(Entry entry, Placed placed) {
    entries_.push_back(entry);
    sift_up(entries_.size() - 1, entry, placed);
  }

  /// Takes an entry out. The last one fills the hole, and may have to go up or down.
  template <class Placed>
  Entry remove(std::size_t position, Placed placed) {
    const Entry removed = entries_[position];
    const Entry last = entries_.back();
    entries_.pop_back();
    if (position < entries_.size()) sift_up(sink(position, placed), last, placed);
    return removed;
  }

  /// Removes all entries for which `is_dead(entry)`, in O(n), and returns how many there were.
  template <class IsDead, class Placed>
  std::size_t remove_if(IsDead is_dead, Placed placed) {
    const std::size_t removed = std::erase_if(entries_, is_dead);
    for (std::size_t i = entries_.size(); i-- > 0;) sift_down(i, entries_[i], placed);
    return removed;
  }

  /// Puts `entry` in the place of another one that has the same rank in the order.
  template <class Placed>
  void substitute(std::size_t position, Entry entry, Placed placed) {
    put(position, entry, placed);
  }

  /// Puts `entry` in the place of another one.
  template <class Placed>
  void replace(std::size_t position, Entry entry, Placed placed) {
    if (position > 0 && entry.before(entries_[parent_of(position)])) {
      sift_up(position, entry, placed);
    } else {
      sift_down(position, entry, placed);
    }
  }

  /// Sorts the entries. They are still a heap. Then `change(entry)` may change each of them, in
  /// order, as long as they stay sorted.
  template <class Change, class Placed>
  void sort(Change change, Placed placed) {
    std::sort(entries_.begin(), entries_.end(),
              [](const Entry& one, const Entry& other) { return one.before(other); });
    for (std::size_t i = 0; i < entries_.size(); ++i) {
      change(entries_[i]);
      placed(entries_[i], i);
    }
  }

 private:
  static constexpr std::size_t kChildren = 4;

  static std::size_t parent_of(std::size_t position) { return (position - 1) / kChildren; }
  static std::size_t first_child_of(std::size_t position) { return kChildren * position + 1; }

  // These move `entry` to where it belongs, given that `hole` is free.

  template <class Placed>
  void sift_up(std::size_t hole, Entry entry, Placed& placed) {
    for (; hole > 0 && entry.before(entries_[parent_of(hole)]); hole = parent_of(hole)) {
      put(hole, entries_[parent_of(hole)], placed);
    }
    put(hole, entry, placed);
  }

  template <class Placed>
  void sift_down(std::size_t hole, Entry entry, Placed& placed) {
    for (std::size_t child; (child = first_child_of(hole)) < entries_.size(); hole = child) {
      fetch_children_of_four(child);
      child = least_from(child);
      if (!entries_[child].before(entry)) break;
      put(hole, entries_[child], placed);
    }
    put(hole, entry, placed);
  }

  /// Moves the hole down to a leaf, and returns where it is then.
  template <class Placed>
  std::size_t sink(std::size_t hole, Placed& placed) {
    const std::size_t size = entries_.size();
    std::size_t child;
    for (; (child = first_child_of(hole)) + kChildren <= size; hole = child) {
      fetch_children_of_four(child);
      child = least_of_four(child);
      put(hole, entries_[child], placed);
    }
    if (child >= size) return hole;
    child = least_from(child);
    put(hole, entries_[child], placed);
    return child;
  }

  /// Fetches all children of four siblings, before it is known which are needed. Must be inlined:
  /// gcc takes a function that only prefetches for one without effect, and drops the call.
  [[gnu::always_inline]] void fetch_children_of_four(std::size_t first) const {
    const auto* const bytes = reinterpret_cast<const std::byte*>(entries_.data());
    const std::byte* const children = bytes + first_child_of(first) * sizeof(Entry);
    __builtin_prefetch(children);
    __builtin_prefetch(children + 1 * kChildren * sizeof(Entry));
    __builtin_prefetch(children + 2 * kChildren * sizeof(Entry));
    __builtin_prefetch(children + 3 * kChildren * sizeof(Entry));
  }

  /// Of two positions, the one with the earlier entry. Without a branch, because nobody can predict
  /// the winner.
  std::size_t earlier(std::size_t one, std::size_t other) const {
    return one + ((other - one) & -std::size_t{entries_[other].before(entries_[one])});
  }

  /// The least of four siblings, in a knock-out tournament. `first` is the first of them. The
  /// winners of the first round are copied, so that the final need not wait for their addresses.
  [[gnu::always_inline]] std::size_t least_of_four(std::size_t first) const {
    const Entry* const four = &entries_[first];
    const bool second = four[1].before(four[0]);
    const bool fourth = four[3].before(four[2]);
    const Entry one = second ? four[1] : four[0];
    const Entry other = fourth ? four[3] : four[2];
    const std::size_t left = second;
    const std::size_t right = 2 + std::size_t{fourth};
    return first + (left ^ ((left ^ right) & -std::size_t{other.before(one)}));
  }

  /// The least of the siblings from `first` on. There may be fewer than four.
  std::size_t least_from(std::size_t first) const {
    if (first + kChildren <= entries_.size()) return least_of_four(first);
    std::size_t least = first;
    for (std::size_t i = first + 1; i < entries_.size(); ++i) least = earlier(least, i);
    return least;
  }

  template <class Placed>
  void put(std::size_t position, Entry entry, Placed& placed) {
    placed(entry, position);
    entries_[position] = entry;
  }
};

}  // namespace timers
