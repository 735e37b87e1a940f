// Bisection finds the place of a new timer in an array. Then all later timers in the array are
// moved to make room.
//
// Seen in: https://github.com/socketry/timers/issues/73
// Caught by: WorksNoHarderAmongManyTimersThanItPromises

#include <algorithm>
#include <functional>
#include <utility>
#include <vector>

#include "tests/museum/queue_exhibit.hpp"

namespace timers::museum {
namespace {

class MovesHalfOfTheRest : public RightQueue {
 public:
  Handle insert(Tick deadline, Task task) {
    const Handle handle = RightQueue::insert(deadline, std::move(task));
    const auto at = std::upper_bound(timers_.begin(), timers_.end(), deadline,
                                     [](Tick one, const auto& other) { return one > other.first; });
    timers_.insert(at, {deadline, handle});
    return handle;
  }
  template <class OnExpiry>
  std::size_t expire(Tick now, OnExpiry&& on_expiry, std::size_t limit = kNoLimit) {
    while (!timers_.empty() && timers_.back().first <= now) timers_.pop_back();
    return RightQueue::expire(now, on_expiry, limit);
  }

 private:
  std::vector<std::pair<Tick, Handle>> timers_;  // sorted; the first timer is at the end
};

const QueueExhibit<MovesHalfOfTheRest> moves_half_of_the_rest;

}  // namespace
}  // namespace timers::museum
