#pragma once

/// The sentences that hang. After a restart, the program does not run them again.
///
/// Their names are in the environment: nothing else passes from a run of the program to the next.

#include <unistd.h>

#include <cstddef>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>
#include <vector>

namespace timers::conformance {

inline constexpr const char* kHangs = "TIMERBENCH_HANGS";

/// The names of the sentences that hang, each between two colons.
inline std::string names_of_hangs() {
  const char* names = std::getenv(kHangs);
  return names == nullptr ? ":" : names;
}

/// Whether this sentence hung. `name` is the name of its suite, a dot, and its own name.
inline bool has_hung(const std::string& name) {
  return names_of_hangs().find(":" + name + ":") != std::string::npos;
}

/// Restarts the program with the same arguments. Ends it with status 1 if a restart is impossible,
/// or if the program was restarted for this sentence before.
[[noreturn]] inline void begin_anew_without(const std::string& name) {
  if (has_hung(name)) std::_Exit(1);
  setenv(kHangs, (names_of_hangs() + name + ":").c_str(), 1);
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  std::string words{std::istreambuf_iterator<char>(file), {}};
  std::vector<char*> arguments;
  for (std::size_t at = 0; at < words.size(); at = words.find('\0', at) + 1) {
    arguments.push_back(&words[at]);
  }
  arguments.push_back(nullptr);
  execv("/proc/self/exe", arguments.data());
  std::cout << "The program cannot begin anew.\n[  FAILED  ] " << name << std::endl;
  std::_Exit(1);
}

}  // namespace timers::conformance
