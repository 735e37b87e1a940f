// A wait ends some milliseconds too early. The thread waits again at once, over and over.
//
// Waits on Windows end so. gRPC checked, found nothing due, and waited again.
//
// Seen in: https://github.com/grpc/grpc/issues/20436
// Caught by: RestsUntilItsOnlyTimerIsDue

#include "tests/museum/real_time_exhibit.hpp"

namespace timers::museum {
namespace {

class WaitEndsEarly : public RightTimer {
  void sleep_until(Lock& lock, Clock::time_point first) override {
    wait_until(lock, first - std::chrono::milliseconds(2));
  }
};

const RealTimeExhibit<WaitEndsEarly> wait_ends_early;

}  // namespace
}  // namespace timers::museum
