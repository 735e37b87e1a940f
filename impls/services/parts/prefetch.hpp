#pragma once

/// Fetches memory before it is needed.

#include <cstddef>
#include <cstdint>

namespace timers {

/// The number of bytes that a processor fetches at once: a cache line.
inline constexpr std::size_t kLineBytes = 64;

/// Fetches the lines of an object that is about to be written.
template <class Object>
void prefetch(const Object& object) {
  const auto* const bytes = reinterpret_cast<const std::byte*>(&object);
  for (std::size_t i = 0; i < sizeof(Object); i += kLineBytes) __builtin_prefetch(bytes + i, 1);
}

/// The same for an object that another core wrote last: takes its lines from that core for writing.
/// The object may be gone. A prefetch of any address does no harm.
template <class Object>
void prefetch_from_other_core(std::uintptr_t address) {
  const std::uintptr_t end = address + sizeof(Object);
  for (std::uintptr_t line = address - address % kLineBytes; line < end; line += kLineBytes) {
#ifdef __x86_64__
    // Compilers write this instruction only for processors that are known to have it. Other
    // processors of x86-64 ignore it.
    asm volatile("prefetchw (%0)" : : "r"(line));
#else
    // NOLINTNEXTLINE(performance-no-int-to-ptr): what is there need not be an object.
    __builtin_prefetch(reinterpret_cast<const void*>(line), 1);
#endif
  }
}

}  // namespace timers
