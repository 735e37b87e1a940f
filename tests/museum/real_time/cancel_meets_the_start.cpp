// A timer is looked at under the lock, and taken out under the next one.
//
// A timer that expired on one thread while another one cancelled it was taken out twice. gRPC
// crashed, and the list of usrsctp became a loop.
//
// Seen in: https://github.com/grpc/grpc/issues/20064
// Seen in: https://github.com/sctplab/usrsctp/pull/101
// Caught by: LetsEitherACancelOrTheStartWin

#include "tests/museum/real_time_exhibit.hpp"

namespace timers::museum {
namespace {

class CancelMeetsTheStart : public RightTimer {
  void run_first(Lock& lock) override {
    const auto [key, task] = *tasks_.begin();
    lock.unlock();
    lock.lock();
    tasks_.erase(key);  // A cancel may have come, and done the same.
    run(lock, task);
  }
};

const RealTimeExhibit<CancelMeetsTheStart> cancel_meets_the_start;

}  // namespace
}  // namespace timers::museum
