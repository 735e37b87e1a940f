// A delay that is a multiple of the turn of a wheel gets a wrong round.
//
// In Akka's hashed wheel such timers were scheduled wrongly.
//
// Seen in: https://github.com/akka/akka-core/pull/1016
// Caught by: RunsATimerSetOneTurnAheadOneTurnLater

#include <utility>

#include "tests/museum/queue_exhibit.hpp"

namespace timers::museum {
namespace {

class WholeTurnWaitsAnother : public RightQueueWithTime {
 public:
  Handle insert(Tick deadline, Task task) {
    return RightQueueWithTime::insert(rounds_counted(deadline), std::move(task));
  }
  bool rearm(Handle handle, Tick deadline) {
    return RightQueueWithTime::rearm(handle, rounds_counted(deadline));
  }

 private:
  static constexpr Tick kBuckets = 64;

  Tick rounds_counted(Tick deadline) const {
    if (deadline <= now() || deadline > kEndOfTime - kBuckets) return deadline;
    return (deadline - now()) % kBuckets == 0 ? deadline + kBuckets : deadline;
  }
};

const QueueExhibit<WholeTurnWaitsAnother> whole_turn_waits_another;

}  // namespace
}  // namespace timers::museum
