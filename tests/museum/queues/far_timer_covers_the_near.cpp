// If a far timer waits one turn ahead, a near timer goes into the same slot and waits behind it.
//
// The top level of Tokio's wheel has slots of 12 days. When time had come that far, new timers with
// short delays went into a slot that had wrapped round.
//
// Seen in: https://github.com/tokio-rs/tokio/pull/8334
// Caught by: KeepsItsTimersForTenYears

#include <algorithm>
#include <utility>

#include "tests/museum/queue_exhibit.hpp"

namespace timers::museum {
namespace {

class FarTimerCoversTheNear : public RightQueueWithTime {
 public:
  Handle insert(Tick deadline, Task task) {
    const bool goes_round = deadline > now() && deadline - now() >= kTurn - kSlot;
    if (goes_round) {
      covered_ = slot_of(deadline);
      until_ = deadline;
    } else if (until_ > now() && slot_of(deadline) == covered_) {
      deadline = std::max(deadline, until_);
    }
    return RightQueueWithTime::insert(deadline, std::move(task));
  }

 private:
  static constexpr Tick kSlot = Tick{1} << 30;
  static constexpr Tick kTurn = 64 * kSlot;

  static Tick slot_of(Tick tick) { return tick % kTurn / kSlot; }

  Tick covered_ = 0;
  Tick until_ = 0;
};

const QueueExhibit<FarTimerCoversTheNear> far_timer_covers_the_near;

}  // namespace
}  // namespace timers::museum
