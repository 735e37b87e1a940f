// A delay counts from the last whole millisecond.
//
// libuv truncates the clock to milliseconds when a timer starts. So the timer may run a millisecond
// early.
//
// Seen in: https://github.com/libuv/libuv/issues/4773
// Seen in: https://github.com/nodejs/node/issues/26578
// Seen in: https://github.com/nodejs/node/pull/62466
// Caught by: CountsFromWhateverTheClockReads

#include <chrono>
#include <utility>

#include "tests/museum/service_exhibit.hpp"

namespace timers::museum {
namespace {

class NowIsRoundedDown : public RightService {
 public:
  explicit NowIsRoundedDown(ManualClock& clock, Options options = {})
      : RightService(clock, std::move(options)), clock_(clock) {}

  Handle schedule(Duration delay, TimerTask task) {
    const Instant now = clock_.now();
    const Duration cut_off = now - std::chrono::floor<std::chrono::milliseconds>(now);
    return RightService::schedule(delay > cut_off ? delay - cut_off : Duration::zero(),
                                  std::move(task));
  }

 private:
  const ManualClock& clock_;
};

const ServiceExhibit<NowIsRoundedDown> now_is_rounded_down;

}  // namespace
}  // namespace timers::museum
