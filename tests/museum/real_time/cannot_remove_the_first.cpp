// A timer that cannot be removed is the first one again and again.
//
// libevent removes the first timer until the first one is not due. If a removal failed, the loop
// never ended. In this model it fails for a timer that its own task has cancelled.
//
// Seen in: https://github.com/libevent/libevent/issues/1262
// Caught by: CannotCancelATimerInItsOwnTask

#include <set>

#include "tests/museum/real_time_exhibit.hpp"

namespace timers::museum {
namespace {

class CannotRemoveTheFirst : public RightTimer {
 public:
  bool cancel(const Key& key) override {
    {
      const std::lock_guard lock(mutex_);
      removable_.erase(key);
      if (key == running_) return false;
    }
    return RightTimer::cancel(key);
  }

 private:
  void came(const Key& key) override {
    removable_.insert(key);
    changed_.notify_all();
  }

  void run_first(Lock& lock) override {
    const auto first = tasks_.begin();
    if (running_ != first->first) {
      running_ = first->first;
      run(lock, first->second);
    }
    if (removable_.erase(running_) > 0) tasks_.erase(running_);
  }

  std::set<Key> removable_;
  Key running_;
};

const RealTimeExhibit<CannotRemoveTheFirst> cannot_remove_the_first;

}  // namespace
}  // namespace timers::museum
