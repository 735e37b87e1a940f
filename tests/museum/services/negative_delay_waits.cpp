// A negative delay goes into some bucket, and waits until the hand comes round.
//
// In Netty a timer of -46 ms ran after 10 s.
//
// Seen in: https://github.com/netty/netty/issues/1953
// Caught by: TakesANegativeDelayForNone

#include <chrono>
#include <utility>

#include "tests/museum/service_exhibit.hpp"

namespace timers::museum {
namespace {

struct NegativeDelayWaits : RightService {
  using RightService::RightService;

  Handle schedule(Duration delay, TimerTask task) {
    constexpr Duration kTurn = std::chrono::seconds(10);
    return RightService::schedule(delay < Duration::zero() ? kTurn : delay, std::move(task));
  }
};

const ServiceExhibit<NegativeDelayWaits> negative_delay_waits;

}  // namespace
}  // namespace timers::museum
