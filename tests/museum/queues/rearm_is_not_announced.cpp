// The next expiry is not worked out anew after a re-arm.
//
// In Tokio's DelayQueue an item that was moved from 200 ms to 5 ms waited for the old alarm.
//
// Seen in: https://github.com/tokio-rs/tokio/issues/849
// Caught by: RearmsATimerWhoseCascadeIsAhead

#include <cstddef>
#include <optional>
#include <utility>

#include "tests/museum/queue_exhibit.hpp"

namespace timers::museum {
namespace {

class RearmIsNotAnnounced : public RightQueue {
 public:
  Handle insert(Tick deadline, Task task) {
    const Handle handle = RightQueue::insert(deadline, std::move(task));
    alarm_ = RightQueue::next_expiry();
    return handle;
  }
  bool cancel(Handle handle) {
    const bool was_pending = RightQueue::cancel(handle);
    alarm_ = RightQueue::next_expiry();
    return was_pending;
  }
  template <class OnExpiry>
  std::size_t expire(Tick now, OnExpiry&& on_expiry, std::size_t limit = kNoLimit) {
    const std::size_t ran = RightQueue::expire(now, on_expiry, limit);
    alarm_ = RightQueue::next_expiry();
    return ran;
  }
  std::optional<Tick> next_expiry() const { return alarm_; }

 private:
  std::optional<Tick> alarm_;
};

const QueueExhibit<RearmIsNotAnnounced> rearm_is_not_announced;

}  // namespace
}  // namespace timers::museum
