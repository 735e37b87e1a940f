// Each new timer searches for its place from the front of a sorted list.
//
// Acton did so under a global lock: to schedule n timers of one delay took n² steps. libqb and the
// server of Meridian 59 had such lists, too. All three use heaps now.
//
// Seen in: https://github.com/actonlang/acton/pull/3092
// Seen in: https://github.com/ClusterLabs/libqb/pull/439
// Seen in: https://github.com/OpenMeridian/Meridian59/pull/1347
// Caught by: WorksNoHarderAmongManyTimersThanItPromises
// Caught by: WorksNoHarderAmongManyTimersOfOneDelayThanItPromises

#include <algorithm>
#include <list>
#include <utility>

#include "tests/museum/queue_exhibit.hpp"

namespace timers::museum {
namespace {

class WalksToItsPlace : public RightQueue {
 public:
  Handle insert(Tick deadline, Task task) {
    const auto is_later = [&](Tick other) { return other > deadline; };
    deadlines_.insert(std::find_if(deadlines_.begin(), deadlines_.end(), is_later), deadline);
    return RightQueue::insert(deadline, std::move(task));
  }
  template <class OnExpiry>
  std::size_t expire(Tick now, OnExpiry&& on_expiry, std::size_t limit = kNoLimit) {
    while (!deadlines_.empty() && deadlines_.front() <= now) deadlines_.pop_front();
    return RightQueue::expire(now, on_expiry, limit);
  }

 private:
  std::list<Tick> deadlines_;
};

const QueueExhibit<WalksToItsPlace> walks_to_its_place;

}  // namespace
}  // namespace timers::museum
