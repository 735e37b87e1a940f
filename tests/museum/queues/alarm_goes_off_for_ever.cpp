// When the last timer has run, the next expiry is still the deadline that has passed.
//
// In Tokio a timer that has fired stays ready until it is reset. The loop of s2n-quic did not reset
// it. So the loop woke at once, found nothing to do, waited again, woke at once, and so on.
//
// Seen in: https://github.com/aws/s2n-quic/pull/705
// Caught by: HasNoNextExpiryWhenEmpty

#include <optional>

#include "tests/museum/queue_exhibit.hpp"

namespace timers::museum {
namespace {

struct AlarmGoesOffForEver : RightQueueWithTime {
  std::optional<Tick> next_expiry() const {
    const std::optional<Tick> next = RightQueueWithTime::next_expiry();
    return next || now() == 0 ? next : now();
  }
};

const QueueExhibit<AlarmGoesOffForEver> alarm_goes_off_for_ever;

}  // namespace
}  // namespace timers::museum
