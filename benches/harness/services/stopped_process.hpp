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

/// Stops the process that calls it, and returns the instant at which it was sent on.
using Stop = std::function<Instant()>;

/// Returns what `body(stop)` does in a child process, which stands still for `pause` whenever one
/// of its threads calls `stop()`. Throws std::runtime_error if the body throws or the child ends
/// before the body does. The calling thread is the only one of its process.
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
