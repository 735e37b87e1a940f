#pragma once

/// A service at rest: nothing is due in it.

#include <fmt/format.h>

#include <chrono>
#include <cstddef>
#include <stdexcept>
#include <thread>

#include "impls/clocks/instant.hpp"

namespace timers::benches {

/// Runs some timers, while nothing else is due. After that the service has all threads that it
/// makes on use, and has filed all that was scheduled before.
template <class Service>
void run_some(Service& service) {
  constexpr int kSome = 8;
  const std::size_t others = service.pending();
  for (int i = 0; i < kSome; ++i) service.schedule(Duration::zero(), [] {});
  while (service.pending() > others) std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

/// Stops the service. Throws if the number of pending or returned timers is not `expected`.
template <class Service>
void stop_with_pending(Service& service, std::size_t expected) {
  const std::size_t pending = service.pending();
  const std::size_t returned = service.stop().size();
  if (pending == expected && returned == expected) return;
  throw std::runtime_error(fmt::format("{} timers should be pending: {} are, and stop returns {}",
                                       expected, pending, returned));
}

}  // namespace timers::benches
