// A cancelled timer stays in memory until its deadline.
//
// A time limit of an hour, which is set for each request and cancelled after a millisecond, fills
// the memory. Netty kept cancelled timers until the hand reached them. The JDK's pool keeps them by
// default.
//
// Seen in: https://github.com/netty/netty/pull/2541
// Seen in: https://github.com/Netflix/Hystrix/pull/1976
// Seen in: https://github.com/apache/spark/pull/3259
// Seen in: https://github.com/AsyncHttpClient/async-http-client/issues/682
// Caught by: ForgetsWhatIsCancelled

#include "tests/museum/service_exhibit.hpp"

namespace timers::museum {
namespace {

const ServiceExhibit<ServiceWith<Mistake::keeps_what_is_cancelled>> cancelled_stays_until_due;

}  // namespace
}  // namespace timers::museum
