#pragma once

/// When a thread wakes that sleeps until the next expiry.

#include <fmt/format.h>

#include <optional>
#include <stdexcept>

#include "benches/harness/queues/proof.hpp"
#include "impls/timer_queue.hpp"

namespace timers::benches {

/// When the queue wants to be called, if its next timer is due at `deadline`. If the queue is
/// empty, or has no `next_expiry`, the answer is `deadline`. Throws std::runtime_error if the queue
/// names no tick, or a tick after `deadline` although the queue is never late.
template <class Queue>
Tick next_wake(const Queue& queue, Tick deadline) {
  if constexpr (HasNextExpiry<Queue>) {
    if (queue.size() == 0) return deadline;
    const std::optional<Tick> wake = queue.next_expiry();
    if (wake && (*wake <= deadline || kMayBeLate<Queue>)) return *wake;
    throw std::runtime_error(
        wake ? fmt::format("next_expiry is {}, but a timer is due at {}", *wake, deadline)
             : fmt::format("next_expiry is empty, but a timer is due at {}", deadline));
  }
  return deadline;
}

}  // namespace timers::benches
