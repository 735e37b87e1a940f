// A delay of 2^31 or more becomes a delay of 1.
//
// Node does this, as browsers do. A timer that should run in some months ran at once. If it set
// itself again, it ran over and over.
//
// Seen in: https://github.com/nodejs/node/issues/4541
// Caught by: DoesNotRunEarlyWhatExceeds32Bits

#include <utility>

#include "tests/museum/queue_exhibit.hpp"

namespace timers::museum {
namespace {

class LongDelayIsOne : public RightQueueWithTime {
 public:
  Handle insert(Tick deadline, Task task) {
    return RightQueueWithTime::insert(as_in_browsers(deadline), std::move(task));
  }
  bool rearm(Handle handle, Tick deadline) {
    return RightQueueWithTime::rearm(handle, as_in_browsers(deadline));
  }

 private:
  static constexpr Tick kMost = (Tick{1} << 31) - 1;

  Tick as_in_browsers(Tick deadline) const {
    return deadline > now() && deadline - now() > kMost ? now() + 1 : deadline;
  }
};

const QueueExhibit<LongDelayIsOne> long_delay_is_one;

}  // namespace
}  // namespace timers::museum
