#pragma once

/// Runs something in a process of its own, and watches it: so a test that crashes or hangs fails by
/// name, and the program goes on.

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace timers::real_time {

/// What the process tells, in memory that it shares with the one that watches it. All its threads
/// may use it.
class Report {
 public:
  /// Something is wrong. Of many faults the first ones are kept.
  void object(std::string_view fault);
  /// The test cannot be made, for this reason.
  void skip(std::string_view reason);
  /// What the process is about to wait for, in words; the last thing counts.
  void waits_for(std::string_view what);
  /// Something has happened: the process does not hang.
  void progress() { progress_.fetch_add(1, std::memory_order_relaxed); }

  bool has_faults() const { return faults_.size() > 0; }

 private:
  friend struct Watch;

  /// Text of a limited size, without a pointer to anything.
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

/// What became of the process.
struct Outcome {
  std::string faults;   ///< A line for each; none if all is well.
  std::string skipped;  ///< Why the test could not be made.
};

/// Runs `body(report)` in a child. The calling thread is the only one of its process.
Outcome run_watched(const std::function<void(Report&)>& body);

}  // namespace timers::real_time
