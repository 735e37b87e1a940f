// Every cancel decreases the count, even if it found no timer.
//
// In a library for Arduino a second cancel changed the counters, and so the number of free slots.
//
// Seen in: https://github.com/Aasim-A/AsyncTimer/pull/11
// Caught by: CountsACancelOnce

#include <cstddef>

#include "tests/museum/queue_exhibit.hpp"

namespace timers::museum {
namespace {

class EachCancelCounts : public RightQueue {
 public:
  bool cancel(Handle handle) {
    const bool was_pending = RightQueue::cancel(handle);
    if (!was_pending) ++counted_too_often_;
    return was_pending;
  }
  std::size_t size() const { return RightQueue::size() - counted_too_often_; }

 private:
  std::size_t counted_too_often_ = 0;
};

const QueueExhibit<EachCancelCounts> each_cancel_counts;

}  // namespace
}  // namespace timers::museum
