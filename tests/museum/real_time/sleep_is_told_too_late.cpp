// A thread announces until when it sleeps, but only after it has released the lock.
//
// A thread of Tokio found that nothing was pending, and recorded this without the lock. A thread
// that set a timer meanwhile saw the old value, and woke nobody.
//
// Seen in: https://github.com/tokio-rs/tokio/pull/6683
// Caught by: IsWokenWhileItGoesToSleep

#include <atomic>

#include "tests/museum/real_time_exhibit.hpp"

namespace timers::museum {
namespace {

class SleepIsToldTooLate : public RightTimer {
  void came(const Key& key) override {
    if (key.first < sleeps_until_.load()) changed_.notify_all();
  }

  void sleep_until(Lock& lock, Clock::time_point first) override {
    lock.unlock();
    sleeps_until_ = first;
    lock.lock();
    wait_until(lock, first);
    sleeps_until_ = kAwake;
  }

  static constexpr Clock::time_point kAwake = Clock::time_point::min();

  std::atomic<Clock::time_point> sleeps_until_ = kAwake;
};

const RealTimeExhibit<SleepIsToldTooLate> sleep_is_told_too_late;

}  // namespace
}  // namespace timers::museum
