// The thread wakes again and again while nothing is due.
//
// gRPC wakes once a second if there are no timers. With one timer in the far future it woke twice a
// second.
//
// Seen in: https://github.com/grpc/grpc/issues/19947
// Caught by: SleepsUntilItsOnlyTimerIsDue

#include "tests/museum/service_exhibit.hpp"

namespace timers::museum {
namespace {

const ServiceExhibit<ServiceWith<Mistake::ticks>> wakes_for_nothing;

}  // namespace
}  // namespace timers::museum
