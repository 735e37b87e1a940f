// A timer that is re-armed to the past is due, but the next expiry does not show it.
//
// In Tokio such an item went to a list that the alarm did not consider. The item was ready, but
// nobody was woken for it.
//
// Seen in: https://github.com/tokio-rs/tokio/pull/8274
// Seen in: https://github.com/tokio-rs/tokio/pull/2290
// Caught by: RunsATimerThatIsRearmedToThePastAtTheNextTick

#include <cstddef>
#include <optional>

#include "tests/museum/queue_exhibit.hpp"

namespace timers::museum {
namespace {

class PastIsNotAnnounced : public RightQueueWithTime {
 public:
  bool rearm(Handle handle, Tick deadline) {
    const std::optional<Tick> alarm = next_expiry();
    const bool was_pending = RightQueueWithTime::rearm(handle, deadline);
    if (was_pending && deadline <= now()) old_alarm_ = alarm;
    return was_pending;
  }
  template <class OnExpiry>
  std::size_t expire(Tick now, OnExpiry&& on_expiry, std::size_t limit = kNoLimit) {
    old_alarm_.reset();
    return RightQueueWithTime::expire(now, on_expiry, limit);
  }
  std::optional<Tick> next_expiry() const {
    return old_alarm_ ? old_alarm_ : RightQueueWithTime::next_expiry();
  }

 private:
  std::optional<Tick> old_alarm_;
};

const QueueExhibit<PastIsNotAnnounced> past_is_not_announced;

}  // namespace
}  // namespace timers::museum
