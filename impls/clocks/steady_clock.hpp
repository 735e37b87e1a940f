#pragma once

/// Real time: the time since the machine started, without its time asleep (CLOCK_MONOTONIC). Nobody
/// can set it. A timer of 60 minutes runs after 75 minutes if the machine slept for 15 of them.
///
/// A parker is a futex that the kernel wakes at an absolute deadline, or later by up to the *slack*
/// of the thread, so that one interrupt may wake several threads. Linux gives a thread 50 µs of
/// slack. The threads of this clock have 1 ns unless the user asks for more. No way to sleep on
/// Linux is more exact, and a futex can be woken early: `benches/machine/sleep.cpp` compares it
/// with a condition variable, clock_nanosleep and a timerfd.
///
///     timers::SteadyClock clock(50us);         // its services wake up to 50 µs later
///     timers::HashedWheelTimer timer(clock);   // and take less of a processor

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
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>

#include "impls/clocks/instant.hpp"

namespace timers {

class SteadyClock {
 public:
  class Parker;
  class Thread;

  static constexpr OverSuspend over_suspend = OverSuspend::stands_still;
  static constexpr bool moves_with_the_wall_clock = false;
  static constexpr Duration kLeastSlack{1};

  /// `slack` is how much later than its deadline a thread of this clock may wake. Throws
  /// std::invalid_argument if it is less than 1 ns.
  explicit SteadyClock(Duration slack = kLeastSlack) : slack_(slack) {
    if (slack >= kLeastSlack) return;
    throw std::invalid_argument("the slack of a clock must be at least 1 ns, and is " +
                                std::to_string(slack.count()) + " ns");
  }

  Instant now() const { return std::chrono::steady_clock::now(); }
  Duration slack() const { return slack_; }

 private:
  Duration slack_;
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
    // The waiting thread may have taken the token meanwhile, and destroyed the parker. Then this
    // wakes nobody, or a thread with another futex at this address, which looks again and waits on.
    syscall(SYS_futex, &state_, FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0);
  }

 private:
  using State = std::int32_t;
  static constexpr State kWaiting = -1;
  static constexpr State kEmpty = 0;
  static constexpr State kToken = 1;

  /// Returns whether the token came before the deadline. nullptr means no deadline.
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
  Thread(SteadyClock& clock, Body body)
      : thread_([slack = clock.slack(), body = std::move(body)]() mutable {
          prctl(PR_SET_TIMERSLACK, static_cast<unsigned long>(slack.count()));
          body();
        }) {}

  void join() { thread_.join(); }

 private:
  std::jthread thread_;
};

}  // namespace timers
