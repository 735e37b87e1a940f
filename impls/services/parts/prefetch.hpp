#pragma once

/// Fetches memory before it is needed.

#include <cstddef>

namespace timers {

/// Fetches all lines of an object that is about to be written.
template <class Object>
void prefetch(const Object& object) {
  constexpr std::size_t kLine = 64;
  const auto* const bytes = reinterpret_cast<const std::byte*>(&object);
  for (std::size_t i = 0; i < sizeof(Object); i += kLine) __builtin_prefetch(bytes + i, 1);
}

}  // namespace timers
