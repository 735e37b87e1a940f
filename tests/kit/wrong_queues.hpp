#pragma once

/// Queues that are wrong on purpose, each in one way, for the tests of those that must find out.

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>

#include "impls/queues/ordered_map.hpp"
#include "impls/timer_queue.hpp"
#include "tests/conformance/queues/any_queue.hpp"

namespace timers::conformance {

using Right = OrderedMap<ProbeTask>;

/// A tick late where a level of a wheel might begin.
struct LateAt64 : Right {
  Handle insert(Tick deadline, ProbeTask task) {
    return Right::insert(deadline == 64 ? 65 : deadline, std::move(task));
  }
};

/// Cannot count to four.
struct CountsToThree : Right {
  std::size_t size() const { return std::min<std::size_t>(Right::size(), 3); }
};

/// Does not cancel in a callback.
class DeafInCallbacks : public Right {
 public:
  bool cancel(Handle handle) { return !in_callback_ && Right::cancel(handle); }

  template <class OnExpiry>
  std::size_t expire(Tick now, OnExpiry&& on_expiry, std::size_t limit = kNoLimit) {
    return Right::expire(
        now,
        [&](Tick deadline, ProbeTask task) {
          const bool outer = std::exchange(in_callback_, true);
          on_expiry(deadline, std::move(task));
          in_callback_ = outer;
        },
        limit);
  }

 private:
  bool in_callback_ = false;
};

/// Keeps the exceptions of callbacks to itself.
struct SwallowsExceptions : Right {
  template <class OnExpiry>
  std::size_t expire(Tick now, OnExpiry&& on_expiry, std::size_t limit = kNoLimit) {
    return Right::expire(
        now,
        [&](Tick deadline, ProbeTask task) {
          try {
            on_expiry(deadline, std::move(task));
          } catch (...) {
          }
        },
        limit);
  }
};

/// Not wrong if it says so: goes to the next multiple of 8, where timers run as they were set.
class RoundsUp {
 public:
  using Task = ProbeTask;
  using Handle = TimerHandle;
  static constexpr const char* name = "rounds_up";
  static constexpr bool expires_in_order = false;
  static constexpr Tick max_lateness(Tick) { return 7; }

  Handle insert(Tick deadline, ProbeTask task) {
    deadline = time_.deadline_for(deadline);
    return timers_.insert(round_up(deadline), {deadline, std::move(task)});
  }
  bool cancel(Handle handle) { return timers_.cancel(handle); }
  template <class OnExpiry>
  std::size_t expire(Tick now, OnExpiry&& on_expiry, std::size_t limit = kNoLimit) {
    if (!time_.move_to(now)) return 0;
    const auto expire_one = [&](Tick, Timer timer) {
      on_expiry(timer.deadline, std::move(timer.task));
    };
    return time_.run(limit, [&] { return timers_.expire(now, expire_one, 1) == 1; });
  }
  std::optional<Tick> next_expiry() const { return timers_.next_expiry(); }
  std::size_t size() const { return timers_.size(); }

 private:
  struct Timer {
    Tick deadline;
    ProbeTask task;
  };
  static Tick round_up(Tick deadline) {
    return deadline > kEndOfTime - 7 ? kEndOfTime : (deadline + 7) / 8 * 8;
  }

  VirtualTime time_;
  OrderedMap<Timer> timers_;
};

}  // namespace timers::conformance
