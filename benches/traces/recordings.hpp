#pragma once

/// The recordings that lie in a directory, each at two lengths of a tick.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace timers::benches {

struct Recording {
  std::filesystem::path file;
  std::int64_t tick_ns;
  std::string name;  // tiny.trace.gz in ticks of 1 ms is called tiny@1ms
};

/// In the order of their names, which is the same on every machine.
inline std::vector<Recording> recordings_in(const std::filesystem::path& directory) {
  struct TickLength {
    const char* name;
    std::int64_t ns;
  };
  constexpr std::array kTickLengths = {TickLength{"1ms", 1'000'000}, TickLength{"1us", 1'000}};
  std::vector<Recording> recordings;
  for (const auto& entry : std::filesystem::directory_iterator(directory)) {
    const std::string file = entry.path().filename().string();
    const std::size_t suffix = file.find(".trace");
    if (suffix == std::string::npos) continue;
    for (const TickLength tick : kTickLengths) {
      recordings.push_back(
          {entry.path(), tick.ns, fmt::format("{}@{}", file.substr(0, suffix), tick.name)});
    }
  }
  std::sort(recordings.begin(), recordings.end(),
            [](const Recording& one, const Recording& other) { return one.name < other.name; });
  return recordings;
}

}  // namespace timers::benches
