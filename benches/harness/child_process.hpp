#pragma once

/// Runs a function in a process of its own. There it finds the memory of a program that has just
/// started, and it leaves nothing behind for later functions.

#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <exception>
#include <memory>
#include <new>
#include <stdexcept>
#include <system_error>
#include <type_traits>

namespace timers::benches {

/// Memory that a process and its child share.
template <class Contents>
auto shared_memory() {
  static_assert(std::is_trivially_destructible_v<Contents>, "a child destroys nothing");
  void* const memory =
      mmap(nullptr, sizeof(Contents), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw std::system_error(errno, std::system_category(), "mmap");
  const auto unmap = [](Contents* contents) { munmap(contents, sizeof(Contents)); };
  return std::unique_ptr<Contents, decltype(unmap)>(new (memory) Contents());
}

/// Waits until the child has ended or is stopped. Returns its status.
inline int wait_for(pid_t child) {
  int status = 0;
  while (waitpid(child, &status, WUNTRACED) == -1) {
    if (errno != EINTR) throw std::system_error(errno, std::system_category(), "waitpid");
  }
  return status;
}

/// Runs `body()` in a child process, and returns its result. Whenever the child is stopped,
/// `on_stop(child)` continues it. Throws std::runtime_error if the body throws, or if the child
/// ends before the body does. The caller must be the only thread of its process.
template <class Body, class OnStop>
auto in_child_process(const Body& body, const OnStop& on_stop) {
  using Result = std::invoke_result_t<Body>;
  struct Shared {
    bool is_done = false;
    Result result;
    std::array<char, 256> error{};
  };
  const auto shared = shared_memory<Shared>();
  const pid_t child = fork();
  if (child == -1) throw std::system_error(errno, std::system_category(), "fork");
  if (child == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);  // Nobody else would end the child, or continue it.
    try {
      shared->result = body();
      shared->is_done = true;
    } catch (const std::exception& error) {
      fmt::format_to_n(shared->error.data(), shared->error.size() - 1, "{}", error.what());
    }
    _exit(0);  // All other work at the end of a process is for the parent only.
  }
  for (int status = wait_for(child);; status = wait_for(child)) {
    if (WIFSTOPPED(status)) {
      on_stop(child);
      continue;
    }
    if (shared->is_done) return Result(shared->result);
    if (shared->error[0] != '\0') throw std::runtime_error(shared->error.data());
    throw std::runtime_error(fmt::format("a process ended early, with status {}", status));
  }
}

/// The same for a body that never stops itself.
template <class Body>
auto in_child_process(const Body& body) {
  return in_child_process(body, [](pid_t child) { kill(child, SIGCONT); });
}

}  // namespace timers::benches
