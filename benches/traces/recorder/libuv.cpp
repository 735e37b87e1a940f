/// Records libuv's timers: the functions that set and end them, and each callback. When a timer
/// expires, libuv stops it and sets it again with the same functions. Such calls are passed on
/// without a record: the callback shows the expiry.

#include <cstdint>
#include <limits>
#include <utility>

#include "benches/traces/recorder/next_function.hpp"
#include "benches/traces/recorder/plain_lines.hpp"
#include "benches/traces/recorder/watched.hpp"

extern "C" {
struct uv_handle_t;
struct uv_timer_t;
using UvTimerCallback = void (*)(uv_timer_t*);
using UvCloseCallback = void (*)(uv_handle_t*);
}

namespace timers::recorder {

namespace {

struct UvTimer {
  UvTimerCallback callback = nullptr;
  bool waits = false;
};

using Verb = int(uv_timer_t*);

/// Whether libuv made the call itself: then the call returns into libuv.
bool is_of_libuv(const void* return_address) {
  static constinit LibraryOf libuv("uv_timer_stop");
  return libuv.made(return_address);
}

void set(uv_timer_t* handle, UvTimer& timer, std::uint64_t milliseconds) {
  constexpr std::uint64_t kMost = std::numeric_limits<std::int64_t>::max() / 1'000'000;
  timer.waits = true;
  record_set(handle, milliseconds < kMost ? static_cast<std::int64_t>(milliseconds) * 1'000'000
                                          : std::numeric_limits<std::int64_t>::max());
}

void cancel(const void* handle, UvTimer& timer) {
  if (std::exchange(timer.waits, false)) record_cancel(handle);
}

std::uint64_t repeat_of(const uv_timer_t* handle) {
  static constinit NextFunction<std::uint64_t(const uv_timer_t*)> next("uv_timer_get_repeat");
  return next(handle);
}

/// If a timer repeats, libuv has set it again before it calls back.
void call_back(uv_timer_t* handle) {
  static constinit NextFunction<int(const uv_timer_t*)> is_active("uv_is_active");
  const UvTimerCallback callback = watched<UvTimer>([&](auto& timers) {
    UvTimer& timer = timers[handle];
    if (std::exchange(timer.waits, false)) record_expiry(handle);
    if (is_active(handle) != 0) set(handle, timer, repeat_of(handle));
    return timer.callback;
  });
  callback(handle);
}

}  // namespace

}  // namespace timers::recorder

using namespace timers::recorder;

// The functions that the program calls in place of libuv's.
#pragma GCC visibility push(default)
extern "C" {

int uv_timer_start(uv_timer_t* handle, UvTimerCallback callback, std::uint64_t delay,
                   std::uint64_t repeat) {
  static constinit NextFunction<int(uv_timer_t*, UvTimerCallback, std::uint64_t, std::uint64_t)>
      next("uv_timer_start");
  if (callback == nullptr || is_of_libuv(__builtin_return_address(0))) {
    return next(handle, callback, delay, repeat);
  }
  const int result = next(handle, &call_back, delay, repeat);
  if (result == 0) {
    watched<UvTimer>([&](auto& timers) {
      UvTimer& timer = timers[handle];
      timer.callback = callback;
      set(handle, timer, delay);
    });
  }
  return result;
}

int uv_timer_stop(uv_timer_t* handle) {
  static constinit NextFunction<Verb> next("uv_timer_stop");
  if (!is_of_libuv(__builtin_return_address(0))) {
    watched<UvTimer>([&](auto& timers) {
      if (const auto found = timers.find(handle); found != timers.end()) {
        cancel(handle, found->second);
      }
    });
  }
  return next(handle);
}

int uv_timer_again(uv_timer_t* handle) {
  static constinit NextFunction<Verb> next("uv_timer_again");
  const int result = next(handle);
  if (result == 0 && repeat_of(handle) != 0 && !is_of_libuv(__builtin_return_address(0))) {
    watched<UvTimer>([&](auto& timers) {
      if (const auto found = timers.find(handle); found != timers.end()) {
        set(handle, found->second, repeat_of(handle));
      }
    });
  }
  return result;
}

/// Handles any handle: if we do not know it, it is no timer, or was never started.
void uv_close(uv_handle_t* handle, UvCloseCallback callback) {
  static constinit NextFunction<void(uv_handle_t*, UvCloseCallback)> next("uv_close");
  watched<UvTimer>([&](auto& timers) {
    const auto found = timers.find(handle);
    if (found == timers.end()) return;
    cancel(handle, found->second);
    timers.erase(found);
  });
  next(handle, callback);
}

}  // extern "C"
#pragma GCC visibility pop

namespace {

/// A program with libuv gets its file before main. The address of libuv is looked up at once. This
/// takes a lock of the loader, and a child that is forked meanwhile might wait for it for ever.
[[gnu::constructor]] void prepare() {
  Watched<UvTimer>::get();
  if (find_next("uv_timer_start") == nullptr) return;
  prepare_lines();
  is_of_libuv(nullptr);
}

}  // namespace
