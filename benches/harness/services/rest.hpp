#pragma once

/// Waits until all other threads of this process sleep.
///
/// Then a service has done all its work. Besides, the processor time of each thread is exact then:
/// the kernel may add that of a running thread late, at the next tick of its core.

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <system_error>
#include <thread>

namespace timers::benches {

/// Whether a thread of this process is on a core, or waits for one. False if the thread has just
/// ended.
inline bool is_at_work(const std::filesystem::path& thread) {
  std::ifstream file(thread / "stat");
  std::string stat;
  if (!std::getline(file, stat)) return false;
  const std::size_t name_end = stat.rfind(") ");  // The name may have any characters.
  if (name_end == std::string::npos) {
    throw std::runtime_error(fmt::format("{} does not tell its state", thread.string()));
  }
  const char state = stat[name_end + 2];
  return state == 'R' || state == 'D';
}

inline bool all_other_threads_sleep() {
  const std::string self = std::to_string(gettid());
  for (const auto& thread : std::filesystem::directory_iterator("/proc/self/task")) {
    if (thread.path().filename() != self && is_at_work(thread.path())) return false;
  }
  return true;
}

/// A thread that waits for a lock sleeps, too. But then the owner of the lock is at work.
inline void wait_until_all_other_threads_sleep() {
  while (!all_other_threads_sleep()) std::this_thread::sleep_for(std::chrono::microseconds(50));
}

}  // namespace timers::benches
