// One round is added whenever hand plus delay crosses the end of the ring.
//
// In Netty a timer of 10 s that set itself again was on time for a minute. Then the hand had come
// so far that each delay crossed the end of the ring, and each run was one turn late.
//
// Seen in: https://github.com/netty/netty/issues/1959
// Caught by: LetsATimerThatSetsItselfAnewNotSlip

#include "tests/museum/queue_exhibit.hpp"

namespace timers::museum {
namespace {

struct WrapCountsAsARound : CountsRounds<WrapCountsAsARound, 512> {
  static bool is_one_too_many(Tick now, Tick delay) { return now % 512 + delay % 512 >= 512; }
};

const QueueExhibit<WrapCountsAsARound> wrap_counts_as_a_round;

}  // namespace
}  // namespace timers::museum
