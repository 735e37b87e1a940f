// A delay that is too long is cut to the longest one, and the rest is dropped.
//
// A library for schedules cut delays to the longest one of setTimeout. So its timers ran after 24.8
// days, even if they were due later.
//
// Seen in: https://github.com/bunkat/later/issues/162
// Caught by: DoesNotRunEarlyWhatExceeds32Bits

#include <algorithm>
#include <utility>

#include "tests/museum/queue_exhibit.hpp"

namespace timers::museum {
namespace {

class LongDelayIsCapped : public RightQueueWithTime {
 public:
  Handle insert(Tick deadline, Task task) {
    return RightQueueWithTime::insert(capped(deadline), std::move(task));
  }
  bool rearm(Handle handle, Tick deadline) {
    return RightQueueWithTime::rearm(handle, capped(deadline));
  }

 private:
  static constexpr Tick kMost = (Tick{1} << 31) - 1;

  Tick capped(Tick deadline) const { return std::min(deadline, now() + kMost); }
};

const QueueExhibit<LongDelayIsCapped> long_delay_is_capped;

}  // namespace
}  // namespace timers::museum
