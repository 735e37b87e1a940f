// A bucket is looked at when the hand has left it, and not when the hand has come to it.
//
// The wheel of Theine, a cache, let entries live on for one bucket more. Otter had copied it.
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
