// The code assumes that two timers never have the same deadline.
//
// Netty asserted that the clock never reads the same value twice. When it did, the event loop
// ended.
//
// Seen in: https://github.com/netty/netty/issues/14467
// Caught by: RunsEqualDeadlinesInTheOrderTheyWereSet

#include <stdexcept>
#include <utility>

#include "tests/museum/queue_exhibit.hpp"

namespace timers::museum {
namespace {

struct TiesAreRefused : RightQueue {
  Handle insert(Tick deadline, Task task) {
    if (next_expiry() == deadline) throw std::logic_error("two timers have one deadline");
    return RightQueue::insert(deadline, std::move(task));
  }
};

const QueueExhibit<TiesAreRefused> ties_are_refused;

}  // namespace
}  // namespace timers::museum
