/// Records libev's timers and periodics. A watcher stores its callback in itself; ours is put there
/// while the watcher waits. When a watcher expires, libev stops it or sets it again, and calls
/// back. Calls that come from libev itself are passed on without a record.

#include <algorithm>
#include <cmath>
#include <utility>

#include "benches/traces/recorder/next_function.hpp"
#include "benches/traces/recorder/plain_lines.hpp"
#include "benches/traces/recorder/watched.hpp"

struct ev_loop;

namespace timers::recorder {

namespace {

/// The first members of an ev_timer and of an ev_periodic, as in every shared libev 4.
struct Watcher {
  int active;
  int pending;
  int priority;
  void* data;
  void (*callback)(ev_loop*, Watcher*, int);
  double at;  // the time of a periodic that waits, on the clock of ev_now
};

using Callback = void (*)(ev_loop*, Watcher*, int);
using Verb = void(ev_loop*, Watcher*);

struct EvTimer {
  static constexpr int kExpired = 0x100;

  static double seconds_left(ev_loop* loop, Watcher* watcher) {
    static constinit NextFunction<double(ev_loop*, Watcher*)> next("ev_timer_remaining");
    return next(loop, watcher);
  }

  Callback callback = nullptr;
  ev_loop* loop = nullptr;
  bool waits = false;
};

struct EvPeriodic {
  static constexpr int kExpired = 0x200;

  static double seconds_left(ev_loop* loop, Watcher* watcher) {
    static constinit NextFunction<double(ev_loop*)> next("ev_now");
    return watcher->at - next(loop);
  }

  Callback callback = nullptr;
  ev_loop* loop = nullptr;
  bool waits = false;
};

bool is_of_libev(const void* return_address) {
  static constinit LibraryOf libev("ev_timer_start");
  return libev.made(return_address);
}

template <class Timer>
void set(ev_loop* loop, Watcher* watcher) {
  constexpr double kMost = 9e9;  // in seconds; in ns it needs nearly all of 64 bits
  const double seconds = Timer::seconds_left(loop, watcher);
  record_set(watcher, std::llround(std::min(seconds, kMost) * 1e9));
}

template <class Timer>
void call_back(ev_loop* loop, Watcher* watcher, int what) {
  const Callback callback = watched<Timer>([&](auto& timers) {
    const auto found = timers.find(watcher);
    const Callback wanted = found->second.callback;
    if (found->second.waits && (what & Timer::kExpired) != 0) {
      record_expiry(watcher);
      if (watcher->active != 0) {
        set<Timer>(loop, watcher);
      } else {
        watcher->callback = wanted;
        timers.erase(found);
      }
    }
    return wanted;
  });
  callback(loop, watcher, what);
}

/// Records that a watcher was started, or set again.
template <class Timer>
void watch(ev_loop* loop, Watcher* watcher) {
  watched<Timer>([&](auto& timers) {
    Timer& timer = timers[watcher];
    if (watcher->callback != &call_back<Timer>) timer.callback = watcher->callback;
    watcher->callback = &call_back<Timer>;
    timer.loop = loop;
    timer.waits = true;
    set<Timer>(loop, watcher);
  });
}

template <class Timer>
void cancel(Watcher* watcher) {
  watched<Timer>([&](auto& timers) {
    const auto found = timers.find(watcher);
    if (found == timers.end()) return;
    if (watcher->callback == &call_back<Timer>) watcher->callback = found->second.callback;
    if (found->second.waits) record_cancel(watcher);
    timers.erase(found);
  });
}

/// The watchers may be gone, or may have another loop later. They keep our callback, and we keep
/// theirs.
template <class Timer>
void cancel_all_of(ev_loop* loop) {
  watched<Timer>([&](auto& timers) {
    for (auto& [watcher, timer] : timers) {
      if (timer.loop == loop && std::exchange(timer.waits, false)) record_cancel(watcher);
    }
  });
}

template <class Timer>
void start(Verb* next, ev_loop* loop, Watcher* watcher, const void* caller) {
  const bool is_new = watcher->active == 0 && !is_of_libev(caller);
  next(loop, watcher);
  if (is_new) watch<Timer>(loop, watcher);
}

template <class Timer>
void stop(Verb* next, ev_loop* loop, Watcher* watcher, const void* caller) {
  if (!is_of_libev(caller)) cancel<Timer>(watcher);
  next(loop, watcher);
}

template <class Timer>
void again(Verb* next, ev_loop* loop, Watcher* watcher, const void* caller) {
  next(loop, watcher);
  if (is_of_libev(caller)) return;
  watcher->active != 0 ? watch<Timer>(loop, watcher) : cancel<Timer>(watcher);
}

}  // namespace

}  // namespace timers::recorder

using namespace timers::recorder;

// The functions that the program calls in place of libev's.
#pragma GCC visibility push(default)
extern "C" {

void ev_timer_start(ev_loop* loop, Watcher* timer) {
  static constinit NextFunction<Verb> next("ev_timer_start");
  start<EvTimer>(next.get(), loop, timer, __builtin_return_address(0));
}

void ev_timer_stop(ev_loop* loop, Watcher* timer) {
  static constinit NextFunction<Verb> next("ev_timer_stop");
  stop<EvTimer>(next.get(), loop, timer, __builtin_return_address(0));
}

void ev_timer_again(ev_loop* loop, Watcher* timer) {
  static constinit NextFunction<Verb> next("ev_timer_again");
  again<EvTimer>(next.get(), loop, timer, __builtin_return_address(0));
}

void ev_periodic_start(ev_loop* loop, Watcher* periodic) {
  static constinit NextFunction<Verb> next("ev_periodic_start");
  start<EvPeriodic>(next.get(), loop, periodic, __builtin_return_address(0));
}

void ev_periodic_stop(ev_loop* loop, Watcher* periodic) {
  static constinit NextFunction<Verb> next("ev_periodic_stop");
  stop<EvPeriodic>(next.get(), loop, periodic, __builtin_return_address(0));
}

void ev_periodic_again(ev_loop* loop, Watcher* periodic) {
  static constinit NextFunction<Verb> next("ev_periodic_again");
  again<EvPeriodic>(next.get(), loop, periodic, __builtin_return_address(0));
}

void ev_loop_destroy(ev_loop* loop) {
  static constinit NextFunction<void(ev_loop*)> next("ev_loop_destroy");
  cancel_all_of<EvTimer>(loop);
  cancel_all_of<EvPeriodic>(loop);
  next(loop);
}

}  // extern "C"
#pragma GCC visibility pop

namespace {

/// A program with libev gets its file before main. The address of libev is looked up at once. This
/// takes a lock of the loader, and a child that is forked meanwhile might wait for it for ever.
[[gnu::constructor]] void prepare() {
  Watched<EvTimer>::get();
  Watched<EvPeriodic>::get();
  if (find_next("ev_timer_start") == nullptr) return;
  prepare_lines();
  is_of_libev(nullptr);
}

}  // namespace
