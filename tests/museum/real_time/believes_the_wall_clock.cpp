// Deadlines are compared with the time of day.
//
// When somebody sets the clock ahead, all timers run at once. When it is put back, for example by
// an hour in autumn, all timers stand still for as long.
//
// Seen in: https://github.com/ceph/ceph/pull/8231
// Seen in: https://github.com/pocoproject/poco/issues/40
// Seen in: https://github.com/mwarning/KadNode/issues/158
// Seen in: https://github.com/h2o/h2o/issues/2321
// Seen in: https://github.com/halayli/lthread/issues/37
// Caught by: DoesNotHeedTheWallClock

#include "tests/museum/real_time_exhibit.hpp"

namespace timers::museum {
namespace {

class BelievesTheWallClock : public RightTimer {
 public:
  void work() override {
    Lock lock(mutex_);
    while (!stopped_) {
      const Clock::time_point first = first_deadline();
      if (first > now_by_the_wall_clock()) {
        sleep_until(lock, std::min(first, Clock::now() + std::chrono::milliseconds(1)));
      } else {
        run_first(lock);
      }
    }
  }

 private:
  Clock::time_point now_by_the_wall_clock() const {
    return start_ + std::chrono::duration_cast<Clock::duration>(std::chrono::system_clock::now() -
                                                                wall_start_);
  }

  const Clock::time_point start_ = Clock::now();
  const std::chrono::system_clock::time_point wall_start_ = std::chrono::system_clock::now();
};

const RealTimeExhibit<BelievesTheWallClock> believes_the_wall_clock;

}  // namespace
}  // namespace timers::museum
