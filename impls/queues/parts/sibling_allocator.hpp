#pragma once

/// Memory for the array of a heap with four children per node: four siblings of 16 bytes share one
/// cache line.
///
/// Entries 1 to 4 are the children of entry 0, the next four those of entry 1, and so on. So entry
/// 1 must begin a line. In memory from operator new all siblings would be spread over two lines.

#include <cstddef>
#include <new>

namespace timers {

/// For a std::vector.
template <class Entry>
class SiblingAllocator {
  static constexpr std::size_t kLine = 64;
  static constexpr std::size_t kAhead = kLine - sizeof(Entry) % kLine;

 public:
  using value_type = Entry;  // NOLINT(readability-identifier-naming): as std::vector wants it

  SiblingAllocator() = default;
  template <class Other>
  explicit SiblingAllocator(const SiblingAllocator<Other>&) {}

  Entry* allocate(std::size_t count) {
    void* const lines = ::operator new (kAhead + count * sizeof(Entry), std::align_val_t{kLine});
    return reinterpret_cast<Entry*>(static_cast<std::byte*>(lines) + kAhead);
  }
  void deallocate(Entry* entries, std::size_t) {
    ::operator delete (reinterpret_cast<std::byte*>(entries) - kAhead, std::align_val_t{kLine});
  }

  friend bool operator==(const SiblingAllocator&, const SiblingAllocator&) { return true; }
};

}  // namespace timers
