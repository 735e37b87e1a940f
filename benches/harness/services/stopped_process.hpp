#pragma once

/// A process that stands still for a while, with all its threads, as if its machine had slept.

#include <sys/types.h>

#include <chrono>
#include <csignal>
#include <functional>
#include <thread>

#include "benches/harness/child_process.hpp"
#include "impls/clocks/instant.hpp"

namespace timers::benches {

/// Stops the calling process. Returns the instant at which the process was continued.
using Stop = std::function<Instant()>;

/// Runs `body(stop)` in a child process, and returns its result. Whenever a thread of the child
/// calls `stop()`, the child stands still for `pause`. Throws std::runtime_error if the body
/// throws, or if the child ends before the body does. The caller must be the only thread of its
/// process.
template <class Body>
auto in_process_that_stops(Duration pause, const Body& body) {
  const auto sent_on = shared_memory<Instant>();
  const Stop stop = [&sent_on] {
    std::raise(SIGSTOP);
    return *sent_on;
  };
  const auto send_on = [&](pid_t child) {
    std::this_thread::sleep_for(pause);
    *sent_on = std::chrono::steady_clock::now();
    kill(child, SIGCONT);
  };
  return in_child_process([&] { return body(stop); }, send_on);
}

}  // namespace timers::benches
