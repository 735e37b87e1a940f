#pragma once

/// A process that stands still for a while, with all its threads, as if its machine had slept.

#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <exception>
#include <functional>
#include <memory>
#include <new>
#include <stdexcept>
#include <system_error>
#include <thread>
#include <type_traits>

#include "impls/clocks/instant.hpp"

namespace timers::benches {

/// Stops the process that calls it, and returns the instant at which it was sent on.
using Stop = std::function<Instant()>;

/// Memory that a process and its child share.
template <class Contents>
auto shared_memory() {
  static_assert(std::is_trivially_destructible_v<Contents>);
  void* const memory =
      mmap(nullptr, sizeof(Contents), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw std::system_error(errno, std::system_category(), "mmap");
  const auto unmap = [](Contents* contents) { munmap(contents, sizeof(Contents)); };
  return std::unique_ptr<Contents, decltype(unmap)>(new (memory) Contents());
}

/// Returns what `body(stop)` does in a child process, which stands still for `pause` whenever one
/// of its threads calls `stop()`. Throws std::runtime_error if the body throws or the child ends
/// before the body does. The calling thread is the only one of its process.
template <class Body>
auto in_process_that_stops(Duration pause, const Body& body) {
  using Result = std::invoke_result_t<Body, Stop>;
  struct Shared {
    Instant sent_on;
    bool is_done = false;
    Result result;
    std::array<char, 256> error{};
  };
  const auto shared = shared_memory<Shared>();
  const pid_t child = fork();
  if (child == -1) throw std::system_error(errno, std::system_category(), "fork");
  if (child == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);  // Nobody else would send it on.
    try {
      shared->result = body([&shared] {
        std::raise(SIGSTOP);
        return shared->sent_on;
      });
      shared->is_done = true;
    } catch (const std::exception& error) {
      fmt::format_to_n(shared->error.data(), shared->error.size() - 1, "{}", error.what());
    }
    _exit(0);  // What else is at the end of a process is the parent's.
  }
  int status = 0;
  while (waitpid(child, &status, WUNTRACED) == child && WIFSTOPPED(status)) {
    std::this_thread::sleep_for(pause);
    shared->sent_on = std::chrono::steady_clock::now();
    kill(child, SIGCONT);
  }
  if (shared->is_done) return Result(shared->result);
  throw std::runtime_error(
      fmt::format("a process ended early, with status {}: {}", status, shared->error.data()));
}

}  // namespace timers::benches
