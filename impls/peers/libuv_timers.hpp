#pragma once

/// The timers of libuv, which runs Node.js: `uv_timer_t`.
///
/// A binary heap of linked nodes, each inside its timer. Ties are broken by a number, so they
/// expire in order. A tick is a millisecond, as in libuv; it counts nanoseconds in 64 bits first,
/// so time ends after 584 years.
///
///     add, remove    O(log n)
///     take_due       O(log n) a timer, and a system call: the loop looks for other events, too
///     next_expiry    O(1), at most INT_MAX ticks ahead
///
/// The loop runs only when it would wake by itself, that is, when a timer is due. Otherwise every
/// call of `take_due` would cost that system call.
///
/// Source: src/timer.c, src/heap-inl.h, src/unix/core.c

#include <uv.h>

#include <limits>
#include <new>
#include <optional>

#include "impls/peers/taker.hpp"
#include "impls/peers/virtual_clock.hpp"
#include "impls/timer_queue.hpp"

namespace timers {

class LibuvTimers {
 public:
  static constexpr const char* name = "libuv";
  static constexpr Tick last_tick = std::numeric_limits<std::uint64_t>::max() / 1'000'000 - 1;
  static constexpr Tick max_wakes(Tick delay) { return 1 + (delay - 1) / kLongestWait; }

  class Timer : uv_timer_t {
    friend LibuvTimers;
  };

  /// Before its first turn a loop does not wait for timers, so it turns once here.
  LibuvTimers() {
    const VirtualClock clock(time_at(0));
    if (uv_loop_init(&loop_) != 0) throw std::bad_alloc();
    loop_.data = this;
    uv_timer_t none;
    uv_timer_init(&loop_, &none);
    close_all_handles();
  }

  /// A loop ends when all its handles are closed.
  ~LibuvTimers() {
    const VirtualClock clock(time_at(uv_now(&loop_)));
    close_all_handles();
    uv_loop_close(&loop_);
  }

  LibuvTimers(const LibuvTimers&) = delete;
  LibuvTimers& operator=(const LibuvTimers&) = delete;

  void add(Timer& timer, Tick deadline) {
    if (timer.loop == nullptr) uv_timer_init(&loop_, &timer);
    rearm(timer, deadline);
  }

  void rearm(Timer& timer, Tick deadline) {
    uv_timer_start(&timer, &hand_over, deadline - uv_now(&loop_), 0);
  }

  void remove(Timer& timer) { uv_timer_stop(&timer); }

  template <class Take>
  void take_due(Tick now, Take take) {
    const VirtualClock clock(time_at(now));
    take_ = Taker<Timer>(take);
    uv_update_time(&loop_);
    if (uv_backend_timeout(&loop_) == 0) uv_run(&loop_, UV_RUN_NOWAIT);
  }

  std::optional<Tick> next_expiry() const {
    if (uv_loop_alive(&loop_) == 0) return std::nullopt;
    return uv_now(&loop_) + static_cast<Tick>(uv_backend_timeout(&loop_));
  }

 private:
  static constexpr Tick kLongestWait = std::numeric_limits<int>::max();

  static timespec time_at(Tick tick) {
    return {.tv_sec = static_cast<time_t>(tick / 1000),
            .tv_nsec = static_cast<long>(tick % 1000 * 1'000'000)};
  }

  void close_all_handles() {
    uv_walk(
        &loop_, [](uv_handle_t* handle, void*) { uv_close(handle, nullptr); }, nullptr);
    uv_run(&loop_, UV_RUN_DEFAULT);
  }

  static void hand_over(uv_timer_t* timer) {
    static_cast<LibuvTimers*>(timer->loop->data)->take_(static_cast<Timer&>(*timer));
  }

  uv_loop_t loop_;
  Taker<Timer> take_;
};

}  // namespace timers
