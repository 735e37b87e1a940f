#pragma once

/// When a thread wakes that sleeps until the next expiry.

#include <fmt/format.h>

#include <optional>
#include <stdexcept>

#include "impls/timer_queue.hpp"

namespace timers::benches {

/// When the queue wants to be called, whose next timer is due at `deadline`. A queue without
/// `next_expiry` is told the deadline.
template <class Queue>
Tick next_wake(const Queue& queue, Tick deadline) {
  if constexpr (HasNextExpiry<Queue>) {
    const std::optional<Tick> wake = queue.next_expiry();
    if (wake && *wake <= deadline) return *wake;
    // A queue that may be late may run its next timer later than this.
    if (wake && promises_of<Queue>().max_lateness != &Promises::none_late) return deadline;
    throw std::runtime_error(fmt::format(
        "next_expiry names no tick, or a later one, when a timer is due at {}", deadline));
  }
  return deadline;
}

}  // namespace timers::benches
