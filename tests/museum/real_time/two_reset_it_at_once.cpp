// A re-arm takes a timer out and puts it back, but no lock covers both steps.
//
// In Go 1.10, two threads that reset one timer at once made the runtime panic. In this model both
// threads find the timer.
//
// Seen in: https://github.com/golang/go/issues/26741
// Caught by: RunsOnceATimerThatTwoThreadsRearm

#include "tests/museum/real_time_exhibit.hpp"

namespace timers::museum {
namespace {

class TwoResetItAtOnce : public RightTimer {
 public:
  bool rearm(const Key& key, std::chrono::nanoseconds delay) {
    Task task;
    {
      const std::lock_guard lock(mutex_);
      const auto found = tasks_.find(key);
      if (found == tasks_.end()) return false;
      task = found->second;
    }
    schedule(delay, std::move(task));
    cancel(key);
    return true;
  }
};

const RealTimeExhibit<TwoResetItAtOnce> two_reset_it_at_once;

}  // namespace
}  // namespace timers::museum
