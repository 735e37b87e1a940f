#pragma once

/// How often the threads of a service sleep, while other threads work at the same time.

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace timers::benches {

/// The threads that this process has now, except the calling one.
class OtherThreads {
 public:
  OtherThreads() {
    for (const auto& thread : std::filesystem::directory_iterator("/proc/self/task")) {
      if (thread.path().filename() != std::to_string(gettid())) paths_.push_back(thread.path());
    }
  }

  /// The threads that have begun since `before` was made.
  OtherThreads since(const OtherThreads& before) const {
    OtherThreads younger = *this;
    std::erase_if(younger.paths_, [&](const std::filesystem::path& path) {
      return std::find(before.paths_.begin(), before.paths_.end(), path) != before.paths_.end();
    });
    return younger;
  }

  std::size_t count() const { return paths_.size(); }

  /// How often they have gone to sleep since they began.
  std::uint64_t sleeps() const {
    std::uint64_t sum = 0;
    for (const std::filesystem::path& path : paths_) sum += sleeps_of(path);
    return sum;
  }

 private:
  static std::uint64_t sleeps_of(const std::filesystem::path& thread) {
    std::ifstream status(thread / "status");
    for (std::string word; status >> word;) {
      std::uint64_t count = 0;
      if (word == "voluntary_ctxt_switches:" && status >> count) return count;
    }
    throw std::runtime_error(fmt::format("{} does not tell its switches", thread.string()));
  }

  std::vector<std::filesystem::path> paths_;
};

}  // namespace timers::benches
