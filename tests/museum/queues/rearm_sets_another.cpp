// A re-arm sets a second timer and forgets the first one, which also runs.
//
// HertzBeat kept one timeout for each job in a map. It put a new timeout over the old one without a
// cancel. Each timeout that was left behind ran and set another one.
//
// Seen in: https://github.com/apache/hertzbeat/pull/4201
// Caught by: KeepsOneTimerHoweverOftenItIsRearmed

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "tests/museum/queue_exhibit.hpp"

namespace timers::museum {
namespace {

class RearmSetsAnother : public RightQueue {
 public:
  Handle insert(Tick deadline, Task task) {
    const std::uint64_t id = task.id();
    jobs_.push_back({RightQueue::insert(deadline, std::move(task)), id});
    return jobs_.back().timer;
  }
  bool rearm(Handle handle, Tick deadline) {
    const auto job = std::find_if(jobs_.begin(), jobs_.end(),
                                  [&](const Job& one) { return one.timer == handle; });
    if (job == jobs_.end()) return false;
    RightQueue::insert(deadline, Task(job->id));
    return true;
  }

 private:
  struct Job {
    Handle timer;
    std::uint64_t id;
  };

  std::vector<Job> jobs_;
};

const QueueExhibit<RearmSetsAnother> rearm_sets_another;

}  // namespace
}  // namespace timers::museum
