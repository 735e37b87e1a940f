// The destructor of the queue forgets to destroy what is in the queue.
//
// In Eclipse RAP, tasks that had not run stayed in memory when their scheduler was disposed of.
//
// Seen in: https://github.com/eclipse-rap/org.eclipse.rap/pull/171
// Caught by: DestroysPendingTasksOnceAndRunsNoneOfThem

#include <utility>

#include "tests/museum/queue_exhibit.hpp"

namespace timers::museum {
namespace {

struct LeaksAtItsEnd : RightQueue {
  LeaksAtItsEnd() = default;
  LeaksAtItsEnd(LeaksAtItsEnd&&) = default;
  LeaksAtItsEnd& operator=(LeaksAtItsEnd&&) = default;
  ~LeaksAtItsEnd() { new RightQueue(std::move(*this)); }
};

const QueueExhibit<LeaksAtItsEnd> leaks_at_its_end;

}  // namespace
}  // namespace timers::museum
