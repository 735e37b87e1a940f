// A timer is chosen under the lock, but removed only after the lock was released and taken again.
//
// If a timer expired on one thread while another one cancelled it, it was removed twice. gRPC
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
    tasks_.erase(key);  // A cancel may have come meanwhile, and removed it, too.
    run(lock, task);
  }
};

const RealTimeExhibit<CancelMeetsTheStart> cancel_meets_the_start;

}  // namespace
}  // namespace timers::museum
