#pragma once

/// Tells AddressSanitizer which memory nobody may touch, where a pool has it and not the allocator.
/// Without AddressSanitizer these do nothing.

#include <cstddef>

#if defined(__SANITIZE_ADDRESS__)
#define TIMERS_POISON 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define TIMERS_POISON 1
#endif
#endif

#ifdef TIMERS_POISON
#include <sanitizer/asan_interface.h>
#endif

namespace timers {

inline void poison([[maybe_unused]] const void* memory, [[maybe_unused]] std::size_t bytes) {
#ifdef TIMERS_POISON
  ASAN_POISON_MEMORY_REGION(memory, bytes);
#endif
}

inline void unpoison([[maybe_unused]] const void* memory, [[maybe_unused]] std::size_t bytes) {
#ifdef TIMERS_POISON
  ASAN_UNPOISON_MEMORY_REGION(memory, bytes);
#endif
}

}  // namespace timers
