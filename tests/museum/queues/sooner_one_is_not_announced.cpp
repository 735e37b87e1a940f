// The next expiry is worked out for the first timer, and not for one that is due sooner.
//
// In Tokio's DelayQueue an item of 600 ms waited for one of 10 s that was there before.
//
// Seen in: https://github.com/tokio-rs/tokio/issues/854
// Caught by: LowersItsNextExpiryForAnEarlierTimerAtOnce

#include <cstddef>
#include <optional>
#include <utility>

#include "tests/museum/queue_exhibit.hpp"

namespace timers::museum {
namespace {

class SoonerOneIsNotAnnounced : public RightQueue {
 public:
  Handle insert(Tick deadline, Task task) {
    const Handle handle = RightQueue::insert(deadline, std::move(task));
    if (!alarm_) alarm_ = RightQueue::next_expiry();
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

const QueueExhibit<SoonerOneIsNotAnnounced> sooner_one_is_not_announced;

}  // namespace
}  // namespace timers::museum
