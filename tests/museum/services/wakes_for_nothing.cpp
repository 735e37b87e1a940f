// The thread wakes again and again while nothing is due.
//
// gRPC wakes once a second without timers. With one timer that was far off it woke twice as often.
//
// Seen in: https://github.com/grpc/grpc/issues/19947
// Caught by: SleepsUntilItsOnlyTimerIsDue

#include "tests/museum/service_exhibit.hpp"

namespace timers::museum {
namespace {

const ServiceExhibit<ServiceWith<Mistake::ticks>> wakes_for_nothing;

}  // namespace
}  // namespace timers::museum
