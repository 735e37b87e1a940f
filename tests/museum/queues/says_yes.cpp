// A cancel always returns true.
//
// A library for Arduino made its handles from pointers to its slots. No slot is at address 0, so
// every cancel reported that it had found its timer.
//
// Seen in: https://github.com/contrem/arduino-timer/issues/80
// Caught by: CancelsATimerOnce

#include "tests/museum/queue_exhibit.hpp"

namespace timers::museum {
namespace {

struct SaysYes : RightQueue {
  bool cancel(Handle handle) {
    RightQueue::cancel(handle);
    return true;
  }
};

const QueueExhibit<SaysYes> says_yes;

}  // namespace
}  // namespace timers::museum
