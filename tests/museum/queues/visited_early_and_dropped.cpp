// A timer that is visited before its deadline is taken out of its bucket, and dropped.
//
// Agrona's first wheel put a timer into the bucket of its tick, and visited that bucket when the
// tick began. A timer that was due later in this tick never ran.
//
// Seen in: https://github.com/aeron-io/agrona/issues/73
// Caught by: KeepsATimerThatIsVisitedBeforeItsDeadline

#include <cstddef>

#include "tests/museum/queue_exhibit.hpp"

namespace timers::museum {
namespace {

struct VisitedEarlyAndDropped : RightQueue {
  static constexpr Tick kTicksOfABucket = 8;

  template <class OnExpiry>
  std::size_t expire(Tick now, OnExpiry&& on_expiry, std::size_t limit = kNoLimit) {
    const auto unless_early = [&](Tick deadline, Task task) {
      if (deadline <= now) on_expiry(deadline, std::move(task));
    };
    return RightQueue::expire(now | (kTicksOfABucket - 1), unless_early, limit);
  }
};

const QueueExhibit<VisitedEarlyAndDropped> visited_early_and_dropped;

}  // namespace
}  // namespace timers::museum
