#pragma once

/// Runs a function in a child process, so that it finds the memory as the parent left it, whatever
/// other children did before.

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
#include <optional>
#include <stdexcept>
#include <system_error>
#include <type_traits>

namespace timers::benches {

/// Returns what `body()` returns in a child of this process, which has no other thread. Throws
/// std::runtime_error if the body throws, or if the child ends before the body does.
template <class Body>
auto in_child_process(const Body& body) {
  using Result = std::invoke_result_t<Body>;
  static_assert(std::is_trivially_copyable_v<Result>);
  struct Answer {
    std::optional<Result> result;
    std::array<char, 512> error{};
  };
  void* const memory =
      mmap(nullptr, sizeof(Answer), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw std::system_error(errno, std::system_category(), "mmap");
  const auto unmap = [](Answer* answer) { munmap(answer, sizeof(Answer)); };
  const std::unique_ptr<Answer, decltype(unmap)> answer(new (memory) Answer());

  const pid_t child = fork();
  if (child == -1) throw std::system_error(errno, std::system_category(), "fork");
  if (child == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);  // It does not outlive what waits for it.
    try {
      answer->result = body();
    } catch (const std::exception& error) {
      fmt::format_to_n(answer->error.data(), answer->error.size() - 1, "{}", error.what());
    }
    _exit(0);  // What else is at the end of a process is the parent's.
  }
  int status = 0;
  while (waitpid(child, &status, 0) == -1) {
    if (errno != EINTR) throw std::system_error(errno, std::system_category(), "waitpid");
  }
  if (answer->result) return *answer->result;
  if (answer->error[0] != '\0') throw std::runtime_error(answer->error.data());
  throw std::runtime_error(fmt::format("a process ended early, with status {}", status));
}

}  // namespace timers::benches
