// A thread that has no timers left cancels the alarm that another thread has just set.
//
// In libHttpClient a thread took the last entry, and recorded that nothing was due. Then it stopped
// the system's timer. But meanwhile another thread had started this timer for a new entry.
//
// Seen in: https://github.com/microsoft/libHttpClient/issues/945
// Caught by: IsWokenWhileItGoesToSleep

#include "tests/museum/real_time_exhibit.hpp"

namespace timers::museum {
namespace {

class AlarmIsCancelledTooLate : public RightTimer {
  void came(const Key& key) override {
    if (key.first >= due_) return;  // The alarm is early enough.
    due_ = alarm_ = key.first;
    changed_.notify_all();
  }

  void sleep_until(Lock& lock, Clock::time_point first) override {
    due_ = first;
    if (first == kNever) {
      lock.unlock();
      lock.lock();
    }
    alarm_ = first;
    while (!stopped_ && Clock::now() < alarm_) wait_until(lock, alarm_);
  }

  Clock::time_point due_ = kNever;
  Clock::time_point alarm_ = kNever;  // of the system's timer
};

const RealTimeExhibit<AlarmIsCancelledTooLate> alarm_is_cancelled_too_late;

}  // namespace
}  // namespace timers::museum
