#pragma once

/// The timers of Boost.Asio: the structure behind each `steady_timer`.
///
/// A binary heap. Entries know their timers, and timers know their places in it; timers are linked
/// in a list, too. This is only the structure, on a clock of ours. In a program an `io_context`
/// adds
/// a lock, the completion handlers, and a system call where a new timer is the earliest.
///
///     add, remove    O(log n)
///     take_due       O(log n) a timer
///
/// Source: boost/asio/detail/timer_queue.hpp; the interface is Asio's own, and may change.

#include <boost/asio/detail/op_queue.hpp>
#include <boost/asio/detail/timer_queue.hpp>
#include <boost/asio/detail/wait_op.hpp>
#include <boost/date_time/posix_time/posix_time_duration.hpp>
#include <cstddef>
#include <cstdint>

#include "impls/timer_queue.hpp"

namespace timers {

class AsioTimers {
  /// What Asio calls the traits of a clock.
  struct Clock {
    using time_type = Tick;      // NOLINT(readability-identifier-naming)
    using duration_type = Tick;  // NOLINT(readability-identifier-naming)
    static inline thread_local Tick time = 0;
    static Tick now() { return time; }
    static bool less_than(Tick one, Tick other) { return one < other; }
    static Tick subtract(Tick one, Tick other) { return one - other; }
    static boost::posix_time::time_duration to_posix_duration(Tick ticks) {
      return boost::posix_time::milliseconds(static_cast<std::int64_t>(ticks));
    }
  };

  using Queue = boost::asio::detail::timer_queue<Clock>;

 public:
  static constexpr const char* name = "boost_asio";
  static constexpr bool fifo = false;

  class Timer : boost::asio::detail::wait_op {
   public:
    Timer() : wait_op(&do_nothing) {}

   private:
    friend AsioTimers;
    static void do_nothing(void*, boost::asio::detail::operation*, const boost::system::error_code&,
                           std::size_t) {}
    Queue::per_timer_data data_;
  };

  void add(Timer& timer, Tick deadline) { queue_.enqueue_timer(deadline, timer.data_, &timer); }

  void remove(Timer& timer) {
    Operations cancelled;
    queue_.cancel_timer(timer.data_, cancelled);
    cancelled.pop();
  }

  template <class Take>
  void take_due(Tick now, Take take) {
    Clock::time = now;
    Operations due;
    queue_.get_ready_timers(due);
    while (auto* const operation = due.front()) {
      due.pop();
      take(static_cast<Timer&>(*operation));
    }
  }

 private:
  using Operations = boost::asio::detail::op_queue<boost::asio::detail::operation>;

  Queue queue_;
};

}  // namespace timers
