// If the task of a timer with the same deadline cancels a timer, the count is decreased twice.
//
// In Netty the cancel decreased the count, and so did the worker when it reached the timer. So a
// limit on the number of timers let too many in.
//
// Seen in: https://github.com/netty/netty/issues/14959
// Seen in: https://github.com/apache/hertzbeat/issues/3173
// Caught by: DoesNotRunWhatATaskOfTheSameDeadlineCancels

#include <atomic>
#include <cstddef>
#include <utility>

#include "tests/museum/service_exhibit.hpp"

namespace timers::museum {
namespace {

class CountedOffTwice : public RightService {
 public:
  using RightService::RightService;

  Handle schedule(Duration delay, TimerTask task) {
    return RightService::schedule(delay, [this, task = std::move(task)]() mutable {
      in_a_tick_ = true;
      task();
      in_a_tick_ = false;
    });
  }
  CancelResult cancel(const Handle& handle) {
    const CancelResult result = RightService::cancel(handle);
    if (result == CancelResult::cancelled && in_a_tick_) ++counted_twice_;
    return result;
  }
  std::size_t pending() const { return RightService::pending() - counted_twice_; }

 private:
  std::atomic<bool> in_a_tick_ = false;
  std::atomic<std::size_t> counted_twice_ = 0;
};

const ServiceExhibit<CountedOffTwice> counted_off_twice;

}  // namespace
}  // namespace timers::museum
