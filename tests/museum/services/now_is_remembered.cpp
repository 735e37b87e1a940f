// A delay counts from the last time at which something ran.
//
// libuv reads the clock once in each round of its loop. A callback that worked for 5 s, and then
// set a timer of 5 s, was called back at once.
//
// Seen in: https://github.com/libuv/libuv/issues/1068
// Seen in: https://github.com/joyent/libuv/issues/678
// Caught by: WaitsTheWholeDelayAfterLongIdleness

#include <atomic>
#include <utility>

#include "tests/museum/service_exhibit.hpp"

namespace timers::museum {
namespace {

class NowIsRemembered : public RightService {
 public:
  explicit NowIsRemembered(ManualClock& clock, Options options = {})
      : RightService(clock, std::move(options)), clock_(clock), loop_time_(clock.now()) {}

  Handle schedule(Duration delay, TimerTask task) {
    const Duration behind = clock_.now() - loop_time_.load();
    return RightService::schedule(delay - behind, [this, task = std::move(task)]() mutable {
      loop_time_ = clock_.now();
      task();
    });
  }

 private:
  const ManualClock& clock_;
  std::atomic<Instant> loop_time_;
};

const ServiceExhibit<NowIsRemembered> now_is_remembered;

}  // namespace
}  // namespace timers::museum
