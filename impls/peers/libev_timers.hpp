#pragma once

/// The timers of libev, which ran the first Node.js and runs many servers: `ev_timer`.
///
/// A heap with four children per node. Its entries hold the deadlines and know their timers, and
/// timers know their places in it. Time is a double that counts seconds. A tick is 1/256 s, so that
/// it is exact. A timer expires only after its deadline, so the clock is half a tick ahead. libev
/// does not tell when its loop would wake, so the loop turns in every call.
///
///     add, rearm, remove    O(log n)
///     take_due              O(log n) a timer, and a system call: the loop looks for other events,
///     too
///
/// When memory runs out, it ends the program.
///
/// Source: ev.c

#include <ev.h>

#include <new>

#include "impls/peers/taker.hpp"
#include "impls/peers/virtual_clock.hpp"
#include "impls/timer_queue.hpp"

namespace timers {

class LibevTimers {
 public:
  static constexpr const char* name = "libev";
  static constexpr bool fifo = false;
  static constexpr bool bears_bad_alloc = false;
  static constexpr Tick last_tick = (Tick{1} << 52) - 1;  // a double counts 2^53 half ticks

  class Timer : ev_timer {
    friend LibevTimers;
  };

  LibevTimers() {
    const VirtualClock clock(time_at(0));
    loop_ = ev_loop_new(EVFLAG_AUTO);
    if (loop_ == nullptr) throw std::bad_alloc();
    ev_set_userdata(loop_, this);
  }
  ~LibevTimers() { ev_loop_destroy(loop_); }
  LibevTimers(const LibevTimers&) = delete;
  LibevTimers& operator=(const LibevTimers&) = delete;

  void add(Timer& timer, Tick deadline) {
    ev_timer_init(&timer, &hand_over, delay_until(deadline), 0);
    ev_timer_start(loop_, &timer);
  }

  /// As libev advises for inactivity timeouts: it takes the delay as a period until it is set.
  void rearm(Timer& timer, Tick deadline) {
    timer.repeat = delay_until(deadline);
    ev_timer_again(loop_, &timer);
    timer.repeat = 0;
  }

  void remove(Timer& timer) { ev_timer_stop(loop_, &timer); }

  template <class Take>
  void take_due(Tick now, Take take) {
    const VirtualClock clock(time_at(now));
    now_ = now;
    take_ = Taker<Timer>(take);
    ev_run(loop_, EVRUN_NOWAIT);
  }

 private:
  static constexpr Tick kTicksASecond = 256;
  static constexpr long kNanosecondsATick = 3'906'250;

  static timespec time_at(Tick tick) {
    const auto ticks = static_cast<long>(tick % kTicksASecond);
    return {.tv_sec = static_cast<time_t>(tick / kTicksASecond),
            .tv_nsec = ticks * kNanosecondsATick + kNanosecondsATick / 2};
  }

  /// In seconds, from the time that libev knows.
  double delay_until(Tick deadline) const {
    return (static_cast<double>(deadline - now_) - 0.5) / static_cast<double>(kTicksASecond);
  }

  static void hand_over(struct ev_loop* loop, ev_timer* timer, int) {
    static_cast<LibevTimers*>(ev_userdata(loop))->take_(static_cast<Timer&>(*timer));
  }

  struct ev_loop* loop_;
  Tick now_ = 0;
  Taker<Timer> take_;
};

}  // namespace timers
