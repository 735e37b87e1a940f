// A delay is stored in 32 bits: only the lower bits of a long delay remain.
//
// .NET put timers that are due soon into a list of their own. A delay of 30 days overflowed and
// looked short, so its timer ran almost at once.
//
// Seen in: https://github.com/dotnet/coreclr/issues/25603
// Caught by: DoesNotRunEarlyWhatExceeds32Bits

#include <cstdint>
#include <utility>

#include "tests/museum/queue_exhibit.hpp"

namespace timers::museum {
namespace {

class LongDelayOf32Bits : public RightQueueWithTime {
 public:
  Handle insert(Tick deadline, Task task) {
    return RightQueueWithTime::insert(shortened(deadline), std::move(task));
  }
  bool rearm(Handle handle, Tick deadline) {
    return RightQueueWithTime::rearm(handle, shortened(deadline));
  }

 private:
  Tick shortened(Tick deadline) const {
    if (deadline <= now()) return deadline;
    return now() + static_cast<std::uint32_t>(deadline - now());
  }
};

const QueueExhibit<LongDelayOf32Bits> long_delay_of_32_bits;

}  // namespace
}  // namespace timers::museum
