#pragma once

/// The ways in which a thread can sleep to a deadline on Linux.
///
/// All of them end in the same high-resolution timer of the kernel. They differ in three points:
/// the way to that timer; the slack by which the kernel may group wake-ups (50 µs by default); and
/// how another thread can wake the sleeper before its deadline.

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <ctime>
#include <mutex>
#include <system_error>

#include "impls/clocks/clock.hpp"

namespace timers::benches {

inline timespec timespec_of(Instant instant) {
  const Duration time = instant.time_since_epoch();
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(time);
  return {seconds.count(), (time - seconds).count()};
}

/// Sets the slack of this thread while the object lives.
class TimerSlack {
 public:
  explicit TimerSlack(unsigned long nanoseconds)
      : before_(static_cast<unsigned long>(prctl(PR_GET_TIMERSLACK))) {
    prctl(PR_SET_TIMERSLACK, nanoseconds);
  }
  TimerSlack(const TimerSlack&) = delete;
  TimerSlack& operator=(const TimerSlack&) = delete;
  ~TimerSlack() { prctl(PR_SET_TIMERSLACK, before_); }

 private:
  unsigned long before_;
};

inline constexpr unsigned long kDefaultSlack = 50'000;
inline constexpr unsigned long kLeastSlack = 1;

/// Only a signal can wake it early.
template <unsigned long kSlack>
class NanosleepWithSlack {
 public:
  static constexpr const char* name =
      kSlack == kDefaultSlack ? "clock_nanosleep_50us_slack" : "clock_nanosleep";

  void sleep_until(Instant deadline) {
    const timespec time = timespec_of(deadline);
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, nullptr) == EINTR) {
    }
  }

 private:
  TimerSlack slack_{kSlack};
};

class ConditionVariable {
 public:
  static constexpr const char* name = "condition_variable";

  void sleep_until(Instant deadline) {
    std::unique_lock lock(mutex_);
    changed_.wait_until(lock, deadline, [this] { return woken_; });
    woken_ = false;
  }

  void wake() {
    {
      const std::lock_guard lock(mutex_);
      woken_ = true;
    }
    changed_.notify_one();
  }

 private:
  TimerSlack slack_{kLeastSlack};
  std::mutex mutex_;
  std::condition_variable changed_;
  bool woken_ = false;
};

/// A file descriptor whose content is a counter of 8 bytes.
class CountFd {
 public:
  CountFd(int fd, const char* made_by) : fd_(fd) {
    if (fd_ == -1) throw std::system_error(errno, std::generic_category(), made_by);
  }
  CountFd(const CountFd&) = delete;
  CountFd& operator=(const CountFd&) = delete;
  ~CountFd() { close(fd_); }

  int fd() const { return fd_; }

  void take() {
    std::uint64_t count = 0;
    require(read(fd_, &count, sizeof count), "read");
  }
  void add_one() {
    const std::uint64_t one = 1;
    require(write(fd_, &one, sizeof one), "write");
  }

 private:
  static void require(ssize_t bytes, const char* call) {
    if (bytes != sizeof(std::uint64_t)) {
      throw std::system_error(errno, std::generic_category(), call);
    }
  }

  int fd_;
};

/// A timerfd, and an eventfd to be woken by, in one poll.
class TimerFd {
 public:
  static constexpr const char* name = "timerfd";

  void sleep_until(Instant deadline) {
    const itimerspec once{.it_interval = {}, .it_value = timespec_of(deadline)};
    timerfd_settime(timer_.fd(), TFD_TIMER_ABSTIME, &once, nullptr);
    std::array<pollfd, 2> both{pollfd{timer_.fd(), POLLIN, 0}, pollfd{alarm_.fd(), POLLIN, 0}};
    while (poll(both.data(), both.size(), -1) < 1) {
    }
    if (both[0].revents != 0) timer_.take();
    if (both[1].revents != 0) alarm_.take();
  }

  void wake() { alarm_.add_one(); }

 private:
  TimerSlack slack_{kLeastSlack};
  CountFd timer_{timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC), "timerfd_create"};
  CountFd alarm_{eventfd(0, EFD_CLOEXEC), "eventfd"};
};

/// The way in which the services sleep.
class Futex {
 public:
  static constexpr const char* name = "futex";

  explicit Futex(unsigned long slack = kLeastSlack) : slack_(slack) {}

  void sleep_until(Instant deadline) { parker_.park_until(deadline); }

  void wake() { parker_.unpark(); }

 private:
  TimerSlack slack_;
  SteadyClock clock_;
  SteadyClock::Parker parker_{clock_};
};

}  // namespace timers::benches
