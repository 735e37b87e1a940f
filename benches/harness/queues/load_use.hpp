#pragma once

/// What a queue costs a program under a load, counted without a clock: memory and wake-ups.
///
/// A thread runs the timers, and does nothing else. It sleeps until `next_expiry`, calls `expire`,
/// and asks again: each of these is a wake-up. Calls of other threads may move the next expiry
/// meanwhile. Some wake-ups are in vain: a wheel only moves timers to another bucket, or the timer
/// that was due is gone.

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <stdexcept>

#include "benches/harness/queues/memory_use.hpp"
#include "benches/harness/queues/playback.hpp"
#include "benches/harness/queues/steady_queue.hpp"
#include "benches/workloads/schedule.hpp"
#include "impls/timer_queue.hpp"
#include "tests/conformance/allocations.hpp"

namespace timers::benches {

struct LoadUse {
  /// In the measured steps. A queue without `next_expiry` cannot say when to wake.
  std::optional<double> wakes = std::nullopt;
  double wakes_in_vain = 0;
  /// The share of the measured time that was played before the budget was spent.
  double share = 0;
  /// The most memory that was held after a measured step, including the queue itself, and the peak
  /// at any time. The caller owns the handles, so they do not count.
  double bytes = 0;
  double peak_bytes = 0;
  double most_pending = 0;
};

/// A witness that counts timers: each timer that is set must be cancelled or run.
class TimerCount {
 public:
  static void call_begins(Tick) {}
  void expired(Tick, std::uint64_t) { ++ended_; }
  static void call_ends(std::size_t) {}
  static void verb_begins() {}
  void verb_ends(Step::Verb verb) { set_ += verb == Step::Verb::insert; }
  void answered(const Step& step, bool was_pending) {
    if (step.verb() == Step::Verb::cancel) ended_ += was_pending;
    if (step.verb() == Step::Verb::rearm) set_ += !was_pending;
  }

  std::uint64_t set() const { return set_; }
  std::uint64_t ended() const { return ended_; }

 private:
  std::uint64_t set_ = 0;
  std::uint64_t ended_ = 0;
};

template <TimerQueue Queue>
class LoadUser {
 public:
  using Budget = std::chrono::duration<double>;

  explicit LoadUser(const Schedule& schedule) : schedule_(schedule), playback_(schedule) {}

  /// Plays the schedule, or the part that fits into the budget. Throws if a timer is lost.
  LoadUse use(Budget budget) {
    const double empty = empty_bytes();
    const conformance::AllocationMeter meter;
    const auto begin = std::chrono::steady_clock::now();
    constexpr std::size_t kStepsAtOnce = 64;
    while (playback_.position() < schedule_.measured_end) {
      step();
      if (is_measured()) use_.bytes = std::max(use_.bytes, static_cast<double>(meter.live_bytes()));
      const auto pending = static_cast<double>(playback_.queue().size());
      use_.most_pending = std::max(use_.most_pending, pending);
      if (playback_.position() % kStepsAtOnce == 0 &&
          std::chrono::steady_clock::now() - begin > budget) {
        break;
      }
    }
    use_.bytes += empty;
    use_.peak_bytes = static_cast<double>(meter.peak_bytes()) + empty;
    use_.share = share_played();
    finish();
    return use_;
  }

 private:
  bool is_measured() const { return playback_.position() > schedule_.measured_begin; }

  static double empty_bytes() {
    const conformance::AllocationMeter meter;
    const Queue queue;
    return static_cast<double>(meter.live_bytes()) + sizeof(Queue);
  }

  void step() {
    const Step& next = playback_.next_step();
    if constexpr (HasNextExpiry<Queue>) {
      if (next.verb() == Step::Verb::expire) wake_until(next.tick);
    }
    playback_.run_until(playback_.position() + 1, count_);
  }

  /// Sleeps and wakes until this tick, at which something else happens.
  void wake_until(Tick tick) {
    Tick now = 0;
    for (std::optional<Tick> wake = playback_.queue().next_expiry(); wake && *wake <= tick;
         wake = playback_.queue().next_expiry()) {
      if (*wake <= now) {
        throw std::runtime_error(
            fmt::format("next_expiry is {} again after expire({})", *wake, now));
      }
      now = *wake;
      const std::uint64_t ended = count_.ended();
      playback_.expire(now, count_);
      if (!is_measured()) continue;
      use_.wakes = use_.wakes.value_or(0) + 1;
      if (count_.ended() == ended) ++use_.wakes_in_vain;
    }
    if (is_measured()) use_.wakes = use_.wakes.value_or(0);
  }

  Tick tick_at(std::size_t position) const {
    while (position > 0 && schedule_.steps[position - 1].verb() != Step::Verb::expire) --position;
    return position == 0 ? 0 : schedule_.steps[position - 1].tick;
  }

  double share_played() const {
    const Tick begin = tick_at(schedule_.measured_begin);
    const Tick end = tick_at(schedule_.measured_end);
    const Tick played = std::max(tick_at(playback_.position()), begin);
    return end == begin ? 1
                        : static_cast<double>(played - begin) / static_cast<double>(end - begin);
  }

  /// All timers that are left are due by the last step. A queue that may be late gets the extra
  /// time that it needs.
  void finish() {
    playback_.skip_to(schedule_.steps.size() - 1);
    const Tick last = playback_.next_step().tick;
    playback_.run_until(schedule_.steps.size(), count_);
    const Tick lateness = promises_of<Queue>().max_lateness(last);
    if (lateness > 0) playback_.expire(last + lateness, count_);
    check_count(count_.ended(), count_.set(), "timers ran or were cancelled");
    check_count(playback_.queue().size(), 0, "timers are pending when all are due");
  }

  const Schedule& schedule_;
  Playback<Queue> playback_;
  TimerCount count_;
  LoadUse use_;
};

}  // namespace timers::benches
