// A timer that is set in the past gets a mark, and keeps it when it is re-armed. A cancel looks for
// the timer in the place for marked timers, and so does not remove it.
//
// In Tokio such a timer stayed in the wheel after its removal, and another timer got its key.
//
// Seen in: https://github.com/tokio-rs/tokio/pull/3270
// Caught by: ForgetsThatATimerWasLateWhenItIsRearmed

#include <algorithm>
#include <utility>
#include <vector>

#include "tests/museum/queue_exhibit.hpp"

namespace timers::museum {
namespace {

class LateMarkStays : public RightQueueWithTime {
 public:
  Handle insert(Tick deadline, Task task) {
    const bool is_late = deadline <= now();
    const Handle handle = RightQueueWithTime::insert(deadline, std::move(task));
    if (is_late) late_.push_back(handle);
    return handle;
  }
  bool rearm(Handle handle, Tick deadline) {
    if (is_marked(handle) && deadline > now()) moved_.push_back(handle);
    return RightQueueWithTime::rearm(handle, deadline);
  }
  bool cancel(Handle handle) {
    if (std::find(moved_.begin(), moved_.end(), handle) != moved_.end()) return true;
    return RightQueueWithTime::cancel(handle);
  }

 private:
  bool is_marked(Handle handle) const {
    return std::find(late_.begin(), late_.end(), handle) != late_.end();
  }

  std::vector<Handle> late_;
  std::vector<Handle> moved_;
};

const QueueExhibit<LateMarkStays> late_mark_stays;

}  // namespace
}  // namespace timers::museum
