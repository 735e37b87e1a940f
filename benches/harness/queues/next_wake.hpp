#pragma once

/// When a thread wakes that sleeps until the next expiry.

#include <fmt/format.h>

#include <optional>
#include <stdexcept>

#include "benches/harness/queues/proof.hpp"
#include "impls/timer_queue.hpp"

namespace timers::benches {

/// When the queue wants to be called, if its next timer is due at `deadline`. This is not after
/// `deadline`, unless the queue may be late. For a queue without `next_expiry` it is `deadline`.
template <class Queue>
Tick next_wake(const Queue& queue, Tick deadline) {
  if constexpr (HasNextExpiry<Queue>) {
    const std::optional<Tick> wake = queue.next_expiry();
    if (wake && (*wake <= deadline || kMayBeLate<Queue>)) return *wake;
    throw std::runtime_error(
        wake ? fmt::format("next_expiry is {}, but a timer is due at {}", *wake, deadline)
             : fmt::format("next_expiry is empty, but a timer is due at {}", deadline));
  }
  return deadline;
}

}  // namespace timers::benches
