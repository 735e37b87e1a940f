// A timer that is due and has not run is no longer where a re-arm looks for it.
//
// Tokio moves due timers to a list, from which the caller takes them. A reset of such a timer
// panicked.
//
// Seen in: https://github.com/tokio-rs/tokio/issues/2473
// Caught by: RearmsATimerThatIsDueAndHasNotRun

#include <stdexcept>

#include "tests/museum/queue_exhibit.hpp"

namespace timers::museum {
namespace {

struct DueCannotBeChanged : RightQueueWithTime {
  bool rearm(Handle handle, Tick deadline) {
    const auto next = next_expiry();
    if (next && *next <= now()) throw std::logic_error("the timer is not in the wheel");
    return RightQueueWithTime::rearm(handle, deadline);
  }
};

const QueueExhibit<DueCannotBeChanged> due_cannot_be_changed;

}  // namespace
}  // namespace timers::museum
