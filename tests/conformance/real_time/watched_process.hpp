#pragma once

/// Runs a function in a process of its own, and watches it. So a test that crashes or hangs fails
/// under its name, and the program continues.

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace timers::real_time {

/// What the process reports, in memory that it shares with its parent, which watches it. All
/// threads of the process may use the report.
class Report {
 public:
  /// Reports a fault. If there are many, the first ones are kept.
  void object(std::string_view fault);
  /// Reports that the test cannot be made, and why.
  void skip(std::string_view reason);
  /// Says what the process is about to wait for. Only the last call counts.
  void waits_for(std::string_view what);
  /// Something has happened, so the process does not hang.
  void progress() { progress_.fetch_add(1, std::memory_order_relaxed); }

  bool has_faults() const { return faults_.size() > 0; }

 private:
  friend struct Watch;

  /// Text of a limited size. It has no pointers, as another process reads it.
  class Text {
   public:
    void append(std::string_view line);
    void replace(std::string_view line);
    std::size_t size() const { return size_.load(std::memory_order_acquire); }
    std::string str() const { return {characters_.data(), size()}; }

   private:
    class Lock;
    std::array<char, 4096> characters_{};
    std::atomic<std::size_t> size_ = 0;
    std::atomic<bool> locked_ = false;
  };

  Text faults_;
  Text waits_for_;
  Text skipped_;
  std::atomic<std::uint64_t> progress_ = 0;
  std::atomic<bool> is_done_ = false;
};

/// What happened to the process.
struct Outcome {
  std::string faults;   ///< A line for each fault; empty if there is none.
  std::string skipped;  ///< Why the test could not be made.
};

/// Runs `body(report)` in a child process. The caller must be the only thread of its process.
Outcome run_watched(const std::function<void(Report&)>& body);

}  // namespace timers::real_time
