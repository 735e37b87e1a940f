// A timer that is cancelled by another of its deadline is counted off twice.
//
// In Netty the cancel counted it off, and so did the worker when it came to it. A limit of timers
// let too many in.
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
