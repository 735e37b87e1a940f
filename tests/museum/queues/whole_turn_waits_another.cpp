// A delay that is a multiple of the turn of a wheel gets a wrong round.
//
// In Akka's hashed wheel such timers were scheduled wrongly.
//
// Seen in: https://github.com/akka/akka-core/pull/1016
// Caught by: RunsATimerSetOneTurnAheadOneTurnLater

#include "tests/museum/queue_exhibit.hpp"

namespace timers::museum {
namespace {

struct WholeTurnWaitsAnother : CountsRounds<WholeTurnWaitsAnother, 64> {
  static bool is_one_too_many(Tick /*now*/, Tick delay) { return delay % 64 == 0; }
};

const QueueExhibit<WholeTurnWaitsAnother> whole_turn_waits_another;

}  // namespace
}  // namespace timers::museum
