#include "tests/services/schedules/stepwise_clock.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "impls/clocks/clock.hpp"
#include "impls/clocks/instant.hpp"
#include "tests/services/schedules/turns.hpp"

namespace timers::schedules {

static_assert(Clock<StepwiseClock>);

Instant StepwiseClock::now() const {
  Turns::here()->stand(
      {.what = "now", .object = this, .writes = false, .place = __builtin_return_address(0)});
  return now_;
}

void StepwiseClock::advance_by(Duration span) {
  Turns::here()->stand({.what = "move time", .object = this});
  now_ = after(now_, span);
}

void StepwiseClock::run_for(Duration span) {
  const Instant target = after(now_, span);
  for (;;) {
    Turns::here()->wait_for_quiet();
    const Instant next = std::min(first_deadline(), target);
    if (now_ == target) return;
    advance_by(next - now_);
  }
}

Instant StepwiseClock::first_deadline() const {
  Instant first = Instant::max();
  for (const Parker* parker : parked_) first = std::min(first, parker->deadline_);
  return first;
}

void StepwiseClock::Parker::park() {
  Turns::here()->stand_until({.what = "park", .object = this, .place = __builtin_return_address(0)},
                             [this] { return token_; });
  token_ = false;
}

bool StepwiseClock::Parker::park_until(Instant deadline) {
  deadline_ = deadline;
  clock_.parked_.push_back(this);
  Turns::here()->stand_until({.what = "park until a deadline",
                              .object = this,
                              .also_reads = &clock_,
                              .place = __builtin_return_address(0)},
                             [this] { return token_ || deadline_ <= clock_.now_; });
  std::erase(clock_.parked_, this);
  return std::exchange(token_, false);
}

void StepwiseClock::Parker::unpark() {
  Turns::here()->stand({.what = "unpark", .object = this, .place = __builtin_return_address(0)});
  token_ = true;
}

void StepwiseClock::Thread::join() {
  if (number_ == kJoined) return;
  Turns::here()->join(std::exchange(number_, kJoined), __builtin_return_address(0));
}

}  // namespace timers::schedules
