#pragma once

/// What the threads of a process do, so that a user can find out why it hangs.

#include <sys/types.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <system_error>

namespace timers::conformance {

/// The first line of a file of /proc; nothing if the thread has gone.
inline std::string line_of(const std::filesystem::path& file) {
  std::ifstream in(file);
  std::string line;
  std::getline(in, line);
  return line;
}

/// "thread 4711 (my_timer) sleeps in futex_wait_queue, after 0.02 s of processor time"
inline std::string state_of_thread(const std::filesystem::path& thread) {
  const std::string stat = line_of(thread / "stat");
  const std::size_t name_ends = stat.rfind(')');
  if (name_ends == std::string::npos) return "";
  std::istringstream fields(stat.substr(name_ends + 1));
  char state = '?';
  fields >> state;
  std::string skipped;
  for (int i = 0; i < 10; ++i) fields >> skipped;
  double ticks_of_user = 0;
  double ticks_of_system = 0;
  fields >> ticks_of_user >> ticks_of_system;
  const double seconds =
      (ticks_of_user + ticks_of_system) / static_cast<double>(sysconf(_SC_CLK_TCK));
  const std::string where = line_of(thread / "wchan");
  std::ostringstream words;
  words << "thread " << thread.filename().string() << ' '
        << stat.substr(stat.find('('), name_ends - stat.find('(') + 1)
        << (state == 'R' ? " runs" : " sleeps");
  if (where.size() > 1) words << " in " << where;
  words << ", after " << seconds << " s of processor time";
  return words.str();
}

/// A line for each thread except `but`, the thread that asks.
inline std::string state_of_threads(pid_t process, pid_t but = 0) {
  std::string states;
  std::error_code error;
  const std::filesystem::path threads = "/proc/" + std::to_string(process) + "/task";
  for (const auto& thread : std::filesystem::directory_iterator(threads, error)) {
    if (thread.path().filename() == std::to_string(but)) continue;
    const std::string state = state_of_thread(thread.path());
    if (!state.empty()) states += "\n  " + state;
  }
  return states;
}

}  // namespace timers::conformance
