/// A long life: ten years of milliseconds, then ticks beyond the integers of a double, then the end
/// of time.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "tests/conformance/queues/needs.hpp"
#include "tests/conformance/queues/oracle.hpp"
#include "tests/conformance/queues/sentence.hpp"
#include "tests/conformance/random.hpp"
#include "tests/conformance/sanitizers.hpp"

namespace timers::conformance::about_ten_years {
namespace {

constexpr Tick kTenYears = Tick{3652} * 24 * 60 * 60 * 1000;
constexpr std::uint64_t kJumps = share_of(200'000);

/// A queue in steady use. Some hundred timers are set, re-armed and cancelled, and expire.
class LongLife final : public Oracle {
 public:
  explicit LongLife(const QueueKind& kind) : Oracle(kind) {
    for (std::size_t i = 0; i < 300; ++i) timers_.push_back(insert(now() + delay()));
  }

  /// Goes on to `end` in jumps, none of which is longer than `longest`.
  void live_until(Tick end, Tick longest) {
    while (now() < end && content()) {
      use();
      expire(now() + std::min(end - now(), 1 + random_.below(longest)));
    }
  }

  /// Visits each tick around `edge`.
  void cross(Tick edge, Tick longest) {
    live_until(edge - 100, longest);
    live_until(edge + 100, 1);
  }

  std::uint64_t expiries() const { return expiries_; }

 private:
  void use() {
    TimerId& timer = timers_[random_.below(timers_.size())];
    if (!model().is_pending(timer)) {
      forget(timer);
      timer = insert(now() + delay());
    } else if (random_.one_in(4)) {
      cancel(timer);
    } else if (random_.one_in(2)) {
      rearm(timer, now() + delay());
    }
  }

  /// A delay from one tick to some years; most are short. The deadline may wrap round the end of
  /// time. Then it lies in the past, which must do no harm either.
  Tick delay() { return 1 + random_.up_to_bits(random_.one_in(8) ? 38 : 24); }

  void timer_expired(TimerId) override { ++expiries_; }

  Random random_{10};
  std::vector<TimerId> timers_;
  std::uint64_t expiries_ = 0;
};

//
const Sentence ten_years("KeepsItsTimersForTenYears", [](const QueueKind& kind) {
  need_time(kind, kTenYears);
  LongLife queue(kind);
  const Tick longest = 2 * kTenYears / kJumps;
  for (const unsigned bits : {16u, 31u, 32u, 36u}) queue.cross(Tick{1} << bits, longest);
  queue.live_until(kTenYears, longest);
  EXPECT_GT(queue.expiries(), kJumps / 8);
  EXPECT_EQ(queue.objection(), "");
});

//
const Sentence far_edges("KeepsItsTimersBeyondTheIntegersOfADouble", [](const QueueKind& kind) {
  need_time(kind, kEndOfTime);
  for (const unsigned bits : {40u, 53u, 63u}) {
    LongLife queue(kind);
    const Tick edge = Tick{1} << bits;
    queue.expire(edge - 10'000'000);
    queue.cross(edge, 10'000);
    queue.live_until(edge + 10'000'000, 10'000);
    EXPECT_GT(queue.expiries(), 300u);
    EXPECT_EQ(queue.objection(), "");
  }
});

//
const Sentence years_to_end_of_time("KeepsItsTimersToTheEndOfTime", [](const QueueKind& kind) {
  need_time(kind, kEndOfTime);
  LongLife queue(kind);
  queue.expire(kEndOfTime - 10'000'000);
  queue.live_until(kEndOfTime - 100, 10'000);
  queue.live_until(kEndOfTime, 1);
  EXPECT_GT(queue.expiries(), 300u);
  EXPECT_EQ(queue.objection(), "");
  queue.insert(1);
  queue.expire(kEndOfTime);
  EXPECT_EQ(queue.objection(), "");
});

}  // namespace
}  // namespace timers::conformance::about_ten_years
