// The next expiry is the earliest deadline that was set since the last call, even if its timer was
// cancelled.
//
// In Seastar a timer that repeats set its next run, and then cancelled itself in its callback. The
// time of that run stayed behind. So a timer that was due later seemed to need no alarm, and never
// ran.
//
// Seen in: https://github.com/scylladb/seastar/issues/3013
// Caught by: TakesNewTimersAfterOneStoppedItself

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>

#include "tests/museum/queue_exhibit.hpp"

namespace timers::museum {
namespace {

class CancelledFirstStaysFirst : public RightQueue {
 public:
  Handle insert(Tick deadline, Task task) {
    const Handle handle = RightQueue::insert(deadline, std::move(task));
    note(RightQueue::next_expiry());
    return handle;
  }
  bool rearm(Handle handle, Tick deadline) {
    const bool was_pending = RightQueue::rearm(handle, deadline);
    note(RightQueue::next_expiry());
    return was_pending;
  }
  template <class OnExpiry>
  std::size_t expire(Tick now, OnExpiry&& on_expiry, std::size_t limit = kNoLimit) {
    earliest_.reset();
    const std::size_t ran = RightQueue::expire(now, on_expiry, limit);
    note(RightQueue::next_expiry());
    return ran;
  }
  std::optional<Tick> next_expiry() const { return earliest_; }

 private:
  void note(std::optional<Tick> next) {
    if (next) earliest_ = std::min(*next, earliest_.value_or(kEndOfTime));
  }

  std::optional<Tick> earliest_;
};

const QueueExhibit<CancelledFirstStaysFirst> cancelled_first_stays_first;

}  // namespace
}  // namespace timers::museum
