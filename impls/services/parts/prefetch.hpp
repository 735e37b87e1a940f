#pragma once

/// Fetches memory before it is needed.

#include <cstddef>
#include <cstdint>

namespace timers {

/// The bytes that a processor fetches at once.
inline constexpr std::size_t kLineBytes = 64;

/// Fetches all lines of an object that is about to be written.
template <class Object>
void prefetch(const Object& object) {
  const auto* const bytes = reinterpret_cast<const std::byte*>(&object);
  for (std::size_t i = 0; i < sizeof(Object); i += kLineBytes) __builtin_prefetch(bytes + i, 1);
}

/// The same, of an object that another core wrote last: takes the lines from it at once. There may
/// be no such object any more, for to fetch any address does no harm.
template <class Object>
void prefetch_from_other_core(const void* where) {
  const auto first = reinterpret_cast<std::uintptr_t>(where);
  for (std::uintptr_t line = first; line < first + sizeof(Object); line += kLineBytes) {
#ifdef __x86_64__
    // Compilers write it only for processors that surely know it. To the others it is a no-op.
    asm volatile("prefetchw (%0)" : : "r"(line));
#else
    // NOLINTNEXTLINE(performance-no-int-to-ptr): what is there need not be an object.
    __builtin_prefetch(reinterpret_cast<const void*>(line), 1);
#endif
  }
}

}  // namespace timers
