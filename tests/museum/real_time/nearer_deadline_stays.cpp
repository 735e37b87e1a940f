// The earliest deadline to which a timer was ever re-armed is kept, even when that timer is gone.
//
// In Go a timer that was reset to an earlier time and then stopped left that time behind. The
// scheduler searched for its timer over and over, and used all processors.
//
// Seen in: https://github.com/golang/go/issues/51654
// Caught by: RestsWhenATimerThatCameNearerIsCancelled

#include "tests/museum/real_time_exhibit.hpp"

namespace timers::museum {
namespace {

class NearerDeadlineStays : public RearmingRightTimer {
 public:
  bool rearm(const Key& key, std::chrono::nanoseconds delay) {
    if (!RearmingRightTimer::rearm(key, delay)) return false;
    const std::lock_guard lock(mutex_);
    earliest_modified_ = std::min(earliest_modified_, Clock::now() + delay);
    changed_.notify_all();
    return true;
  }

 private:
  void sleep_until(Lock& lock, Clock::time_point first) override {
    wait_until(lock, std::min(first, earliest_modified_));
  }
  void run_first(Lock& lock) override {
    earliest_modified_ = kNever;
    RearmingRightTimer::run_first(lock);
  }

  Clock::time_point earliest_modified_ = kNever;
};

const RealTimeExhibit<NearerDeadlineStays> nearer_deadline_stays;

}  // namespace
}  // namespace timers::museum
