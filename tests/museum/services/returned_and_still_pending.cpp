// A stop returns the tasks that did not run, but does not change the state of their timers.
//
// In Netty, a timer that a stop had returned did not count as cancelled.
//
// Seen in: https://github.com/netty/netty/issues/14081
// Caught by: SaysOfWhatItReturnedThatItIsGone

#include <atomic>
#include <vector>

#include "tests/museum/service_exhibit.hpp"

namespace timers::museum {
namespace {

class ReturnedAndStillPending : public RightService {
 public:
  using RightService::RightService;

  std::vector<TimerTask> stop() {
    std::vector<TimerTask> never_ran = RightService::stop();
    if (!never_ran.empty()) has_returned_some_ = true;
    return never_ran;
  }
  CancelResult cancel(const Handle& handle) {
    const CancelResult result = RightService::cancel(handle);
    return has_returned_some_ ? CancelResult::cancelled : result;
  }

 private:
  std::atomic<bool> has_returned_some_ = false;
};

const ServiceExhibit<ReturnedAndStillPending> returned_and_still_pending;

}  // namespace
}  // namespace timers::museum
