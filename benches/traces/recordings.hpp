#pragma once

/// Recordings of real programs, each with two tick lengths.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace timers::benches {

struct Recording {
  std::filesystem::path file;
  std::int64_t tick_ns;
  std::string name;  // tiny.trace.gz with ticks of 1 ms is called tiny@1ms
};

/// The files in a directory that are traces.
inline std::vector<std::filesystem::path> traces_in(const std::filesystem::path& directory) {
  std::vector<std::filesystem::path> traces;
  for (const auto& entry : std::filesystem::directory_iterator(directory)) {
    if (entry.path().filename().string().find(".trace") != std::string::npos) {
      traces.push_back(entry.path());
    }
  }
  return traces;
}

/// The traces, sorted by name, which gives the same order on every machine.
inline std::vector<Recording> recordings_of(const std::vector<std::filesystem::path>& traces) {
  struct TickLength {
    const char* name;
    std::int64_t ns;
  };
  constexpr std::array kTickLengths = {TickLength{"1ms", 1'000'000}, TickLength{"1us", 1'000}};
  std::vector<Recording> recordings;
  for (const std::filesystem::path& trace : traces) {
    const std::string file = trace.filename().string();
    const std::string name = file.substr(0, file.find(".trace"));
    for (const TickLength tick : kTickLengths) {
      recordings.push_back({trace, tick.ns, fmt::format("{}@{}", name, tick.name)});
    }
  }
  std::sort(recordings.begin(), recordings.end(),
            [](const Recording& one, const Recording& other) { return one.name < other.name; });
  return recordings;
}

}  // namespace timers::benches
