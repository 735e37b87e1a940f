#pragma once

/// A binary heap that tells each entry where it stands, so that any entry can be found and removed.
///
/// Williams' heap (1964) in an array. It does not break ties: if no entry is before the other, the
/// structure of the heap decides their order. The order is the same as in java.util.Timer and
/// java.util.PriorityQueue, which sift in this way.
///
///     push, remove, replace    O(log n); push O(1) on average for entries in random order
///     front                    O(1)
///     remove_if                O(n)

#include <cstddef>
#include <utility>
#include <vector>

#include "impls/parts/heap_array.hpp"

namespace timers {

/// For users who never look for an entry again.
struct ForgetPosition {
  template <class Entry>
  void operator()(const Entry&, std::size_t) const {}
};

/// `Entry` has `before(other)`, a strict weak order, and its moves do not throw. A function that
/// takes `placed` calls `placed(entry, position)` for each entry that it puts into a position.
template <class Entry>
class PositionHeap : public HeapArray<Entry> {
  using HeapArray<Entry>::entries_;

 public:
  /// Makes sure that the next `more` calls of `push` do not throw.
  void reserve(std::size_t more) {
    if (entries_.capacity() - entries_.size() < more) entries_.reserve(2 * entries_.size() + more);
  }

  template <class Placed = ForgetPosition>
  void push(Entry entry, Placed placed = {}) {
    entries_.push_back(std::move(entry));
    entry = std::move(entries_.back());
    sift_up(entries_.size() - 1, entry, placed);
  }

  /// Takes an entry out. The last one fills the hole, and may have to go up or down.
  template <class Placed = ForgetPosition>
  Entry remove(std::size_t position, Placed placed = {}) {
    Entry removed = std::move(entries_[position]);
    Entry last = std::move(entries_.back());
    entries_.pop_back();
    if (position < entries_.size()) sift(position, last, placed);
    return removed;
  }

  /// Puts `entry` in the place of another one.
  template <class Placed = ForgetPosition>
  void replace(std::size_t position, Entry entry, Placed placed = {}) {
    sift(position, entry, placed);
  }

  /// Removes all entries for which `is_dead(entry)`, in O(n), and returns how many there were.
  template <class IsDead, class Placed = ForgetPosition>
  std::size_t remove_if(IsDead is_dead, Placed placed = {}) {
    const std::size_t before = entries_.size();
    for (std::size_t i = entries_.size(); i-- > 0;) {
      if (!is_dead(std::as_const(entries_[i]))) continue;
      if (i + 1 < entries_.size()) entries_[i] = std::move(entries_.back());
      entries_.pop_back();
    }
    if (entries_.size() == before) return 0;
    for (std::size_t i = 0; i < entries_.size(); ++i) placed(std::as_const(entries_[i]), i);
    for (std::size_t i = entries_.size() / 2; i-- > 0;) {
      Entry entry = std::move(entries_[i]);
      sift_down(i, entry, placed);
    }
    return before - entries_.size();
  }

  /// Calls `visit(entry)` for all entries, in no order.
  template <class Visit>
  void for_each(Visit visit) const {
    for (const Entry& entry : entries_) visit(entry);
  }

  /// Takes out all entries, in no order.
  std::vector<Entry> take_all() { return std::exchange(entries_, {}); }

 private:
  // These move `entry` to where it belongs, given that `hole` is free.

  template <class Placed>
  void sift(std::size_t hole, Entry& entry, Placed& placed) {
    if (hole > 0 && entry.before(entries_[(hole - 1) / 2])) {
      sift_up(hole, entry, placed);
    } else {
      sift_down(hole, entry, placed);
    }
  }

  template <class Placed>
  void sift_up(std::size_t hole, Entry& entry, Placed& placed) {
    while (hole > 0) {
      const std::size_t parent = (hole - 1) / 2;
      if (!entry.before(entries_[parent])) break;
      put(hole, entries_[parent], placed);
      hole = parent;
    }
    put(hole, entry, placed);
  }

  template <class Placed>
  void sift_down(std::size_t hole, Entry& entry, Placed& placed) {
    const std::size_t size = entries_.size();
    for (std::size_t child; (child = 2 * hole + 1) < size; hole = child) {
      if (8 * hole + 7 < size) fetch_below(hole);
      if (child + 1 < size) child += entries_[child + 1].before(entries_[child]);
      if (!entries_[child].before(entry)) break;
      put(hole, entries_[child], placed);
    }
    put(hole, entry, placed);
  }

  /// Fetches the eight entries three levels below, before it is known which of them is needed. It
  /// must be inlined: gcc takes a function that only prefetches for one without effect.
  [[gnu::always_inline]] void fetch_below(std::size_t position) const {
    const auto* const bytes = reinterpret_cast<const std::byte*>(entries_.data());
    const std::byte* const below = bytes + (8 * position + 7) * sizeof(Entry);
    __builtin_prefetch(below);
    __builtin_prefetch(below + 4 * sizeof(Entry));
    __builtin_prefetch(below + 7 * sizeof(Entry));
  }

  template <class Placed>
  void put(std::size_t position, Entry& entry, Placed& placed) {
    placed(std::as_const(entry), position);
    entries_[position] = std::move(entry);
  }
};

}  // namespace timers
