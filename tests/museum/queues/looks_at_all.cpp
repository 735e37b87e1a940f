// Whenever time moves, each timer is checked for being due.
//
// .NET kept its timers in an unsorted list. To change it was cheap, but to expire timers was
// expensive. A program with a hundred thousand timers that repeat did little else.
//
// Seen in: https://github.com/dotnet/coreclr/pull/20302
// Caught by: WorksNoHarderAmongManyTimersThanItPromises
// Caught by: WorksNoHarderAmongManyTimersOfOneDelayThanItPromises

#include <list>
#include <utility>

#include "tests/museum/queue_exhibit.hpp"

namespace timers::museum {
namespace {

class LooksAtAll : public RightQueue {
 public:
  Handle insert(Tick deadline, Task task) {
    deadlines_.push_back(deadline);
    return RightQueue::insert(deadline, std::move(task));
  }
  template <class OnExpiry>
  std::size_t expire(Tick now, OnExpiry&& on_expiry, std::size_t limit = kNoLimit) {
    deadlines_.remove_if([now](Tick deadline) { return deadline <= now; });
    return RightQueue::expire(now, on_expiry, limit);
  }

 private:
  std::list<Tick> deadlines_;
};

const QueueExhibit<LooksAtAll> looks_at_all;

}  // namespace
}  // namespace timers::museum
