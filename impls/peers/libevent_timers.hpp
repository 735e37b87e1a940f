#pragma once

/// The timers of libevent, which runs memcached, Tor and Transmission: `evtimer`.
///
/// A binary heap of pointers to events, which know their places. A tick is a microsecond,
/// libevent's unit of time. libevent does not tell when its loop would wake, so the loop turns in
/// every call, and each turn asks the system for other events, too.
///
///     add, remove    O(log n)
///     take_due       O(log n) a timer, and a system call if any timer is pending
///
/// Its memory comes from malloc, which no test can make fail.
///
/// Source: event.c, minheap-internal.h

#include <event2/event.h>
#include <event2/event_struct.h>

#include <new>

#include "impls/peers/taker.hpp"
#include "impls/peers/virtual_clock.hpp"
#include "impls/timer_queue.hpp"

// libev has constants of these names.
#undef EV_READ
#undef EV_SIGNAL
#undef EV_TIMEOUT
#undef EV_WRITE

namespace timers {

class LibeventTimers {
 public:
  static constexpr const char* name = "libevent";
  static constexpr bool fifo = false;

  class Timer : event {
    friend LibeventTimers;
    LibeventTimers* timers_ = nullptr;
  };

  LibeventTimers() {
    const VirtualClock clock(time_at(0));
    base_ = event_base_new();
    if (base_ == nullptr) throw std::bad_alloc();
  }
  ~LibeventTimers() { event_base_free(base_); }
  LibeventTimers(const LibeventTimers&) = delete;
  LibeventTimers& operator=(const LibeventTimers&) = delete;

  void add(Timer& timer, Tick deadline) {
    if (timer.timers_ == nullptr) {
      timer.timers_ = this;
      evtimer_assign(&timer, base_, &hand_over, &timer);
    }
    rearm(timer, deadline);
  }

  void rearm(Timer& timer, Tick deadline) {
    const VirtualClock clock(time_at(now_));
    const timeval delay{.tv_sec = seconds(deadline - now_),
                        .tv_usec = microseconds(deadline - now_)};
    if (evtimer_add(&timer, &delay) != 0) throw std::bad_alloc();
  }

  void remove(Timer& timer) { evtimer_del(&timer); }

  template <class Take>
  void take_due(Tick now, Take take) {
    const VirtualClock clock(time_at(now));
    now_ = now;
    take_ = Taker<Timer>(take);
    event_base_loop(base_, EVLOOP_ONCE | EVLOOP_NONBLOCK);
  }

 private:
  static constexpr Tick kTicksASecond = 1'000'000;

  static time_t seconds(Tick ticks) { return static_cast<time_t>(ticks / kTicksASecond); }
  static suseconds_t microseconds(Tick ticks) {
    return static_cast<suseconds_t>(ticks % kTicksASecond);
  }
  static timespec time_at(Tick tick) {
    return {.tv_sec = seconds(tick), .tv_nsec = microseconds(tick) * 1000};
  }

  static void hand_over(evutil_socket_t, short, void* argument) {
    Timer& timer = *static_cast<Timer*>(argument);
    timer.timers_->take_(timer);
  }

  event_base* base_;
  Tick now_ = 0;
  Taker<Timer> take_;
};

}  // namespace timers
