#pragma once

/// A trail leads from a node in an inbox to one that came some time before.
///
/// The producer's core wrote the nodes, and each leads only to the one before it. A thread that
/// follows them waits for one cache line after the other. A trail leads farther, so the thread
/// fetches several nodes at once. It is only a hint: the node at its end may be gone by then.

#include <cstdint>
#include <limits>

namespace timers {

/// In two bytes: the way to a node that lies within 512 KiB, rounded to 16 bytes. A node with room
/// for an address keeps the address itself. Its trail then says only that.
class Trail {
 public:
  /// From now on the node keeps an address.
  void let_node_keep_it() { steps_ = kKeptByNode; }
  bool is_kept_by_node() const { return steps_ == kKeptByNode; }

  /// If the way is too long, the trail leads back to where it begins.
  void lead(std::uintptr_t from, std::uintptr_t to) {
    const std::intptr_t steps = static_cast<std::intptr_t>(to - from) / kStep;
    const bool is_near = -kMost <= steps && steps <= kMost;
    steps_ = is_near ? static_cast<std::int16_t>(steps) : std::int16_t{0};
  }
  std::uintptr_t end(std::uintptr_t from) const {
    return from + static_cast<std::uintptr_t>(steps_ * kStep);
  }

 private:
  static constexpr std::intptr_t kStep = 16;
  static constexpr std::intptr_t kMost = std::numeric_limits<std::int16_t>::max();
  static constexpr std::int16_t kKeptByNode = std::numeric_limits<std::int16_t>::min();

  std::int16_t steps_ = 0;
};

}  // namespace timers
