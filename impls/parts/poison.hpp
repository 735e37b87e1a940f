#pragma once

/// Tells AddressSanitizer which memory nobody may touch. It is for memory that a structure manages
/// itself. Without AddressSanitizer these functions do nothing.

#include <cstddef>

// AddressSanitizer defines these, if the program is built with it.
// NOLINTBEGIN(readability-identifier-naming)
extern "C" [[gnu::weak]] void __asan_poison_memory_region(const volatile void* begin,
                                                          std::size_t bytes);
extern "C" [[gnu::weak]] void __asan_unpoison_memory_region(const volatile void* begin,
                                                            std::size_t bytes);
// NOLINTEND(readability-identifier-naming)

namespace timers {

inline void poison(const void* begin, std::size_t bytes) {
  if (__asan_poison_memory_region != nullptr) __asan_poison_memory_region(begin, bytes);
}

inline void unpoison(const void* begin, std::size_t bytes) {
  if (__asan_unpoison_memory_region != nullptr) __asan_unpoison_memory_region(begin, bytes);
}

}  // namespace timers
