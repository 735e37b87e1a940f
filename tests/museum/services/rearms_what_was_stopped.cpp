// A re-arm reports that its timer was pending, although it was cancelled before.
//
// In Go, Reset reported that a timer was active after Stop had reported that it was not.
//
// Seen in: https://github.com/golang/go/issues/80760
// Caught by: CannotRearmACancelledTimer

#include "tests/museum/service_exhibit.hpp"

namespace timers::museum {
namespace {

struct RearmsWhatWasStopped : RearmingRightService {
  using RearmingRightService::RearmingRightService;

  bool rearm(const Handle& handle, Delay delay) {
    RearmingRightService::rearm(handle, delay);
    return true;
  }
};

const ServiceExhibit<RearmsWhatWasStopped> rearms_what_was_stopped;

}  // namespace
}  // namespace timers::museum
