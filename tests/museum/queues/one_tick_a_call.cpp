// A call looks at one tick, however far time has gone on.
//
// Agrona's wheel says so, and wants to be called in a loop. Camunda called it once, and timers that
// were due went unnoticed until enough other calls had come.
//
// Seen in: https://github.com/camunda/camunda/issues/767
// Caught by: RunsEverythingOnceInOneBigJump

#include <cstddef>

#include "tests/museum/queue_exhibit.hpp"

namespace timers::museum {
namespace {

class OneTickACall : public RightQueueWithTime {
 public:
  template <class OnExpiry>
  std::size_t expire(Tick wanted, OnExpiry&& on_expiry, std::size_t limit = kNoLimit) {
    return RightQueueWithTime::expire(wanted > now() ? now() + 1 : wanted, on_expiry, limit);
  }
};

const QueueExhibit<OneTickACall> one_tick_a_call;

}  // namespace
}  // namespace timers::museum
