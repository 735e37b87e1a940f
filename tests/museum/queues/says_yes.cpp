// Whatever is to be cancelled, the answer is yes.
//
// A library for Arduino made handles of pointers to its slots. No slot is at address 0, and so
// every cancel said that it had found its timer.
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
