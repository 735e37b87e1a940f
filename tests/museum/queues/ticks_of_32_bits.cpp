// The current tick has 32 bits. After 2^31 ticks it is negative, and nothing runs any more.
//
// Akka's scheduler, with ticks of 2 ms, stopped after 49 days, on every machine.
//
// Seen in: https://github.com/akka/akka-core/issues/20424
// Caught by: IsExactAfterALongUptime

#include <cstddef>
#include <cstdint>

#include "tests/museum/queue_exhibit.hpp"

namespace timers::museum {
namespace {

struct TicksOf32Bits : RightQueue {
  template <class OnExpiry>
  std::size_t expire(Tick now, OnExpiry&& on_expiry, std::size_t limit = kNoLimit) {
    const auto tick = static_cast<std::int32_t>(now);
    if (tick < 0) return 0;
    return RightQueue::expire(static_cast<Tick>(tick), on_expiry, limit);
  }
};

const QueueExhibit<TicksOf32Bits> ticks_of_32_bits;

}  // namespace
}  // namespace timers::museum
