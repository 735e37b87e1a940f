// A round is counted whenever hand and delay together cross the end of the ring.
//
// In Netty a timer of 10 s that set itself anew was in time for a minute. Then the hand had come so
// far that each delay crossed the end, and each run came a turn late.
//
// Seen in: https://github.com/netty/netty/issues/1959
// Caught by: LetsATimerThatSetsItselfAnewNotSlip

#include <utility>

#include "tests/museum/queue_exhibit.hpp"

namespace timers::museum {
namespace {

class WrapCountsAsARound : public RightQueueWithTime {
 public:
  Handle insert(Tick deadline, Task task) {
    return RightQueueWithTime::insert(rounds_counted(deadline), std::move(task));
  }
  bool rearm(Handle handle, Tick deadline) {
    return RightQueueWithTime::rearm(handle, rounds_counted(deadline));
  }

 private:
  static constexpr Tick kBuckets = 512;

  Tick rounds_counted(Tick deadline) const {
    if (deadline <= now() || deadline > kEndOfTime - kBuckets) return deadline;
    const Tick delay = deadline - now();
    return now() % kBuckets + delay % kBuckets >= kBuckets ? deadline + kBuckets : deadline;
  }
};

const QueueExhibit<WrapCountsAsARound> wrap_counts_as_a_round;

}  // namespace
}  // namespace timers::museum
