// A bucket is visited when the hand has left it, not when the hand reaches it.
//
// In the wheel of Theine, a cache, entries lived on for one bucket more. Otter had copied the
// wheel.
//
// Seen in: https://github.com/Yiling-J/theine-go/issues/64
// Caught by: RunsATimerAtItsDeadline

#include <cstddef>

#include "tests/museum/queue_exhibit.hpp"

namespace timers::museum {
namespace {

struct BucketWaitsForTheNext : RightQueue {
  static constexpr Tick kTicksOfABucket = 4;

  template <class OnExpiry>
  std::size_t expire(Tick now, OnExpiry&& on_expiry, std::size_t limit = kNoLimit) {
    return RightQueue::expire(now - now % kTicksOfABucket, on_expiry, limit);
  }
};

const QueueExhibit<BucketWaitsForTheNext> bucket_waits_for_the_next;

}  // namespace
}  // namespace timers::museum
