// The next expiry is computed for the first timer that is set, and not for a later one that is due
// sooner.
//
// In Tokio's DelayQueue an item of 600 ms waited for an item of 10 s that had been inserted before.
//
// Seen in: https://github.com/tokio-rs/tokio/issues/854
// Caught by: LowersItsNextExpiryForAnEarlierTimerAtOnce

#include <utility>

#include "tests/museum/queue_exhibit.hpp"

namespace timers::museum {
namespace {

struct SoonerOneIsNotAnnounced : RightQueueWithAlarm {
  Handle insert(Tick deadline, Task task) {
    const Handle handle = RightQueue::insert(deadline, std::move(task));
    if (!next_expiry()) set_alarm();
    return handle;
  }
};

const QueueExhibit<SoonerOneIsNotAnnounced> sooner_one_is_not_announced;

}  // namespace
}  // namespace timers::museum
