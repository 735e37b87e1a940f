#pragma once

/// How many timers of a service wait, and how many may wait.

#include <atomic>
#include <cstddef>
#include <limits>
#include <string>

#include "impls/timer_service.hpp"

namespace timers {

/// Any thread may count. The count orders no other accesses, and is never above the limit.
class PendingCount {
 public:
  static constexpr std::size_t kUnlimited = std::numeric_limits<std::size_t>::max();

  explicit PendingCount(std::size_t most) : most_(most) {}

  std::size_t get() const { return count_.load(std::memory_order_relaxed); }

  /// Counts one more. Throws RejectedTask if the limit is reached.
  void add() {
    if (most_ == kUnlimited) {
      count_.fetch_add(1, std::memory_order_relaxed);
      return;
    }
    std::size_t before = get();
    do {
      if (before >= most_) {
        throw RejectedTask("a timer with at most " + std::to_string(most_) + " pending tasks has " +
                           std::to_string(before));
      }
    } while (!count_.compare_exchange_weak(before, before + 1, std::memory_order_relaxed));
  }

  /// One timer runs, was cancelled, or was refused.
  void remove() { count_.fetch_sub(1, std::memory_order_relaxed); }

 private:
  const std::size_t most_;
  std::atomic<std::size_t> count_ = 0;
};

}  // namespace timers
