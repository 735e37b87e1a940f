// Two times of 32 bits are compared by their difference: a time more than 2^31 ahead is past.
//
// HAProxy counts milliseconds in this way. A deadline more than 24.8 days ahead looked overdue.
//
// Seen in: https://github.com/haproxy/haproxy/issues/2704
// Caught by: DoesNotRunEarlyWhatExceeds32Bits

#include <cstdint>
#include <utility>

#include "tests/museum/queue_exhibit.hpp"

namespace timers::museum {
namespace {

class FarIsPast : public RightQueueWithTime {
 public:
  Handle insert(Tick deadline, Task task) {
    return RightQueueWithTime::insert(as_compared(deadline), std::move(task));
  }
  bool rearm(Handle handle, Tick deadline) {
    return RightQueueWithTime::rearm(handle, as_compared(deadline));
  }

 private:
  Tick as_compared(Tick deadline) const {
    return static_cast<std::int32_t>(deadline - now()) > 0 ? deadline : now();
  }
};

const QueueExhibit<FarIsPast> far_is_past;

}  // namespace
}  // namespace timers::museum
