// A wheel has levels for 36 bits of time. Beyond that bit of the clock there is no level.
//
// The wheel of tokio-timer had six levels of 64 buckets. After 2^36 ms, which is 2.2 years, a timer
// across that border panicked, whatever its delay. TiKV hit this in production.
//
// Seen in: https://github.com/tikv/tikv/pull/12043
// Caught by: IsExactAfterALongUptime

#include <stdexcept>
#include <utility>

#include "tests/museum/queue_exhibit.hpp"

namespace timers::museum {
namespace {

class SixLevels : public RightQueueWithTime {
 public:
  Handle insert(Tick deadline, Task task) {
    require_level(deadline);
    return RightQueueWithTime::insert(deadline, std::move(task));
  }
  bool rearm(Handle handle, Tick deadline) {
    require_level(deadline);
    return RightQueueWithTime::rearm(handle, deadline);
  }

 private:
  static constexpr Tick kSpan = Tick{1} << 36;

  void require_level(Tick deadline) const {
    if ((now() | deadline) >= kSpan) throw std::out_of_range("there are levels 0 to 5");
  }
};

const QueueExhibit<SixLevels> six_levels;

}  // namespace
}  // namespace timers::museum
