// A call handles one tick, however far time has moved.
//
// Agrona documents this for its wheel, which has to be called in a loop. Camunda called it once.
// Due timers went unnoticed until enough other calls had come.
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
