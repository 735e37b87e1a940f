#pragma once

/// When a sentence hangs, the watchdog prints which one, and what its threads do.
///
///     service_conformance/my_timer.CancelsATimerOnce hangs: no thread does anything.
///       thread 4711 (my_timer_test) sleeps in futex_wait_queue, after 0.01 s of processor time
///
/// Its threads cannot be saved. So the program restarts itself, in the same process. There the
/// sentence fails at once, and all others run.
///
/// The watchdog does not measure the time with a clock: so a machine that is suspended or busy
/// causes no alarm. A sentence hangs if its threads have used no processor time while the watchdog
/// took a hundred steps, if they have used hardly any while it took three thousand, or if they have
/// used very much of it.

#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <condition_variable>
#include <ctime>
#include <iostream>
#include <mutex>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>

#include "tests/conformance/hangs.hpp"
#include "tests/conformance/sanitizers.hpp"
#include "tests/conformance/thread_states.hpp"

namespace timers::conformance {

class Watchdog final : public testing::EmptyTestEventListener {
 public:
  /// Watches all tests of this suite.
  static void watch(const std::string& suite) {
    if (installed() == nullptr) {
      installed() = new Watchdog;
      testing::UnitTest::GetInstance()->listeners().Append(installed());  // The list owns it now.
    }
    installed()->suites_.insert(suite);
  }

 private:
  using Span = std::chrono::nanoseconds;
  static constexpr std::chrono::milliseconds kStep{100};
  static constexpr int kStepsOfNothing = 100;
  static constexpr Span kNothing = std::chrono::milliseconds(1);
  static constexpr int kStepsOfLittle = 3'000;
  static constexpr Span kLittle = kStep / 20;  // in a step
  static constexpr Span kMost = std::chrono::minutes(kSanitized ? 100 : 10);

  static Watchdog*& installed() {
    static Watchdog* watchdog = nullptr;
    return watchdog;
  }

  void OnTestStart(const testing::TestInfo& test) override {
    if (!suites_.contains(test.test_suite_name())) return;
    thread_.emplace([this, &test](const std::stop_token& stop) { stay_awake(stop, test); });
  }

  void OnTestEnd(const testing::TestInfo&) override { thread_.reset(); }

  void stay_awake(const std::stop_token& stop, const testing::TestInfo& test) {
    const Span at_start = taken_by_others();
    Span before = at_start;
    Span at_last_step = at_start;
    int steps_of_little = 0;
    for (int steps = 0; !sleep(stop); ++steps) {
      const Span now = taken_by_others();
      if (now - before > kNothing) steps = 0;
      if (steps == 0) before = now;
      steps_of_little = now - std::exchange(at_last_step, now) < kLittle ? steps_of_little + 1 : 0;
      if (steps == kStepsOfNothing) end(test, "no thread does anything.");
      if (steps_of_little == kStepsOfLittle) {
        end(test, "its threads only poll. They must wait on the parkers of their clock.");
      }
      if (now - at_start > kMost) {
        end(test, kSanitized ? "its threads have used 100 minutes of processor time."
                             : "its threads have used ten minutes of processor time.");
      }
    }
  }

  /// Sleeps for one step. Returns true if the test is over.
  bool sleep(const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    return stopped_.wait_for(lock, stop, kStep, [&] { return stop.stop_requested(); });
  }

  /// The processor time of all other threads.
  static Span taken_by_others() {
    return taken(CLOCK_PROCESS_CPUTIME_ID) - taken(CLOCK_THREAD_CPUTIME_ID);
  }
  static Span taken(clockid_t clock) {
    timespec time{};
    clock_gettime(clock, &time);
    return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
  }

  [[noreturn]] static void end(const testing::TestInfo& test, const char* why) {
    const std::string name = std::string(test.test_suite_name()) + "." + test.name();
    std::cout << name << " hangs: " << why << state_of_threads(getpid(), gettid())
              << "\nAll tests begin anew. This one then fails at once.\n"
              << std::endl;
    begin_anew_without(name);
  }

  std::set<std::string, std::less<>> suites_;
  std::mutex mutex_;
  std::condition_variable_any stopped_;
  std::optional<std::jthread> thread_;  // runs while a sentence runs
};

}  // namespace timers::conformance
