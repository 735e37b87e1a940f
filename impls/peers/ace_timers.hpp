#pragma once

/// Timer queues of ACE, the library behind TAO and many telephone exchanges: a heap, a wheel and a
/// list.
///
/// The caller tells them the time, so they need no clock. A tick is a millisecond, which gives the
/// wheel its usual 1024 spokes of 128 ms. The list and each spoke are sorted, and a cancel searches
/// along them. With n timers in all, m of them in a spoke:
///
///                    heap              wheel                        list
///     add            O(log n)          O(m), from the spoke's end   O(n), from the end
///     remove         O(log n)          O(m), or all spokes          O(n)
///     take_due       O(log n) a timer  O(1), or all spokes          O(1) a timer
///     next_expiry    O(1)              O(1)                         O(1)
///
/// The locks that they take in most programs are left out. Each queue allocates a node whenever a
/// timer is set. When memory runs out, they use null pointers. ACE's hash table is not here:
/// README.md beside this file says why.
///
/// Source: ace/Timer_Heap_T.cpp, ace/Timer_Wheel_T.cpp, ace/Timer_List_T.cpp

#include <ace/Null_Mutex.h>
#include <ace/Time_Value.h>
#include <ace/Timer_Heap_T.h>
#include <ace/Timer_List_T.h>
#include <ace/Timer_Wheel_T.h>

#include <ctime>
#include <new>
#include <optional>

#include "impls/peers/taker.hpp"
#include "impls/timer_queue.hpp"

namespace timers {

/// How ACE names a timer.
struct AceTimer {
  long id = 0;
};

/// The callbacks of ACE's timers. ACE needs all of them, and we need `timeout`.
struct AceUpcall {
  Taker<AceTimer> take;

  template <class Queue>
  int timeout(Queue&, AceTimer* timer, const void*, int, const ACE_Time_Value&) {
    take(*timer);
    return 0;
  }
  int registration(auto&&...) { return 0; }
  int preinvoke(auto&&...) { return 0; }
  int postinvoke(auto&&...) { return 0; }
  int cancel_type(auto&&...) { return 0; }
  int cancel_timer(auto&&...) { return 0; }
  int deletion(auto&&...) { return 0; }
};

/// The interface that PeerQueue needs, for one of ACE's queues.
template <class Queue>
class AceTimers {
 public:
  using Timer = AceTimer;
  static constexpr bool bears_bad_alloc = false;
  static constexpr bool kAllocatesEachTime = true;

  void add(Timer& timer, Tick deadline) { timer.id = schedule(timer, deadline); }

  void rearm(Timer& timer, Tick deadline) {
    const long id = schedule(timer, deadline);
    remove(timer);
    timer.id = id;
  }

  void remove(Timer& timer) { queue_.cancel(timer.id); }

  template <class Take>
  void take_due(Tick now, Take take) {
    upcall_.take = Taker<Timer>(take);
    queue_.expire(time_at(now));
  }

  std::optional<Tick> next_expiry() const {
    if (queue_.is_empty()) return std::nullopt;
    return tick_at(queue_.earliest_time());
  }

 private:
  static constexpr Tick kTicksASecond = 1000;
  static constexpr Tick kMicrosecondsATick = 1000;

  static ACE_Time_Value time_at(Tick tick) {
    return ACE_Time_Value(static_cast<time_t>(tick / kTicksASecond),
                          static_cast<suseconds_t>(tick % kTicksASecond * kMicrosecondsATick));
  }

  static Tick tick_at(const ACE_Time_Value& time) {
    return static_cast<Tick>(time.sec()) * kTicksASecond +
           static_cast<Tick>(time.usec()) / kMicrosecondsATick;
  }

  long schedule(Timer& timer, Tick deadline) {
    const long id = queue_.schedule(&timer, nullptr, time_at(deadline));
    if (id == -1) throw std::bad_alloc();
    return id;
  }

  AceUpcall upcall_;
  Queue queue_{&upcall_};
};

struct AceHeap : AceTimers<ACE_Timer_Heap_T<AceTimer*, AceUpcall, ACE_Null_Mutex>> {
  static constexpr const char* name = "ace_heap";
  static constexpr bool fifo = false;
};

struct AceWheel : AceTimers<ACE_Timer_Wheel_T<AceTimer*, AceUpcall, ACE_Null_Mutex>> {
  static constexpr const char* name = "ace_wheel";
  static constexpr Growth growth = Growth::linear;
  /// It counts all milliseconds in a long, and adds up to a second.
  static constexpr Tick last_tick = (Tick{1} << 63) - 1 - 1000;
};

struct AceList : AceTimers<ACE_Timer_List_T<AceTimer*, AceUpcall, ACE_Null_Mutex>> {
  static constexpr const char* name = "ace_list";
  static constexpr Growth growth = Growth::linear;
};

}  // namespace timers
