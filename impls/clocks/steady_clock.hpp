#pragma once

/// Real time: that since the machine started, without its time asleep (CLOCK_MONOTONIC). Nobody can
/// set it.
///
/// A parker is a futex that the kernel wakes at an absolute deadline, and a thread asks the kernel
/// for deadlines exact to the nanosecond; without asking it groups wake-ups by 50 µs. Of what Linux
/// offers, this is as late as the best and can be woken early: `benches/machine/sleep.cpp` holds it
/// against a condition variable, clock_nanosleep and a timerfd.

#include <linux/futex.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <concepts>
#include <cstdint>
#include <ctime>
#include <thread>
#include <utility>

#include "impls/clocks/instant.hpp"

namespace timers {

class SteadyClock {
 public:
  class Parker;
  class Thread;

  Instant now() const { return std::chrono::steady_clock::now(); }
};

class SteadyClock::Parker {
 public:
  explicit Parker(SteadyClock&) {}
  Parker(const Parker&) = delete;
  Parker& operator=(const Parker&) = delete;

  void park() { wait(nullptr); }

  bool park_until(Instant deadline) {
    const Duration since_start = std::max(deadline.time_since_epoch(), Duration::zero());
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(since_start);
    const timespec time{seconds.count(), (since_start - seconds).count()};
    return wait(&time);
  }

  void unpark() {
    if (state_.exchange(kToken, std::memory_order_release) != kWaiting) return;
    // The other may have taken the token meanwhile, and be gone. Then this wakes nobody, or at most
    // somebody who looks again and waits on.
    syscall(SYS_futex, &state_, FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0);
  }

 private:
  using State = std::int32_t;
  static constexpr State kWaiting = -1;
  static constexpr State kEmpty = 0;
  static constexpr State kToken = 1;

  /// Returns whether the token came before the deadline; nullptr is none.
  bool wait(const timespec* deadline) {
    if (state_.fetch_sub(1, std::memory_order_acquire) == kToken) return true;
    for (;;) {
      const long status = syscall(SYS_futex, &state_, FUTEX_WAIT_BITSET_PRIVATE, kWaiting, deadline,
                                  nullptr, FUTEX_BITSET_MATCH_ANY);
      const bool late = status == -1 && errno == ETIMEDOUT;
      if (late || state_.load(std::memory_order_relaxed) == kToken) {
        return state_.exchange(kEmpty, std::memory_order_acquire) == kToken;
      }
    }
  }

  std::atomic<State> state_ = kEmpty;
  static_assert(sizeof(state_) == sizeof(std::int32_t), "the kernel reads a plain int");
};

class SteadyClock::Thread {
 public:
  template <std::invocable Body>
  Thread(SteadyClock&, Body body)
      : thread_([body = std::move(body)]() mutable {
          constexpr unsigned long kLeastSlack = 1;  // ns; 0 would mean the default
          prctl(PR_SET_TIMERSLACK, kLeastSlack);
          body();
        }) {}

  void join() { thread_.join(); }

 private:
  std::jthread thread_;
};

}  // namespace timers
