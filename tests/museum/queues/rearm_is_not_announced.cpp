// The next expiry is not computed again after a re-arm.
//
// In Tokio's DelayQueue an item that was moved from 200 ms to 5 ms waited for the old alarm.
//
// Seen in: https://github.com/tokio-rs/tokio/issues/849
// Caught by: RearmsATimerWhoseCascadeIsAhead

#include "tests/museum/queue_exhibit.hpp"

namespace timers::museum {
namespace {

struct RearmIsNotAnnounced : RightQueueWithAlarm {
  bool rearm(Handle handle, Tick deadline) { return RightQueue::rearm(handle, deadline); }
};

const QueueExhibit<RearmIsNotAnnounced> rearm_is_not_announced;

}  // namespace
}  // namespace timers::museum
