/// Records libevent's timers, as its users see them: each public function that sets or ends a
/// timer, and each callback. libevent tells a callback whether the timer expired or another event
/// came. In both cases the timer has ended, or is set again if it is persistent.
///
/// An event stores its callback in itself; ours is put there. Our callback must know its event. It
/// asks libevent, with the base of the loop that this thread runs. The argument stays the program's
/// own, as libevent also passes it to others.

#include <sys/time.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <utility>

#include "benches/traces/recorder/next_function.hpp"
#include "benches/traces/recorder/plain_lines.hpp"
#include "benches/traces/recorder/watched.hpp"

extern "C" {
struct event;
struct event_base;
using EventCallback = void (*)(int, short, void*);
using EventFinalizer = void (*)(event*, void*);
}

namespace timers::recorder {

namespace {

constexpr short kExpired = 0x01;
constexpr short kIsSignal = 0x08;
constexpr short kIsPersistent = 0x10;

/// An event. In libevent every event may have a timer, in addition to what else it waits for.
struct Event {
  event* address = nullptr;
  std::uint64_t serial = 0;  // a later event may have the same address
  EventCallback callback = nullptr;
  event_base* base = nullptr;
  std::int64_t interval = 0;  // with which a persistent timer is set again; 0 if it is not
  bool is_persistent = false;
  bool waits = false;

  void set(std::int64_t delay) {
    waits = true;
    record_set(address, delay);
  }
  void cancel() {
    if (std::exchange(waits, false)) record_cancel(address);
  }
};

/// The upper bits of the microseconds may name the queue of equal delays to which the timer goes.
std::int64_t nanoseconds(const timeval& time) {
  constexpr long kMicroseconds = 0x000fffff;
  constexpr long kMark = 0xf0000000;
  constexpr long kIsMarked = 0x50000000;
  const bool is_marked = (time.tv_usec & kMark) == kIsMarked;
  const long microseconds = is_marked ? time.tv_usec & kMicroseconds : time.tv_usec;
  if (time.tv_sec > 9'000'000'000) return std::numeric_limits<std::int64_t>::max();
  return time.tv_sec * 1'000'000'000 + microseconds * 1'000;
}

template <class Function>
void with(const event* address, const Function& function) {
  watched<Event>([&](auto& events) {
    if (const auto found = events.find(address); found != events.end()) function(found->second);
  });
}

thread_local event_base* running_base = nullptr;
event_base* base_of_event_init = nullptr;

/// Lives while this thread runs the loop of a base.
class Running {
 public:
  explicit Running(event_base* base) : before_(std::exchange(running_base, base)) {}
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;
  ~Running() { running_base = before_; }

 private:
  event_base* before_;
};

/// nullptr in libev, which has some functions of libevent. Then the events are left alone.
auto* running_event_of() {
  static constinit NextFunction<event*(event_base*)> next("event_base_get_running_event");
  return next.get();
}

void call_back(int descriptor, short what, void* argument) {
  EventCallback callback = nullptr;
  with(running_event_of()(running_base), [&](Event& event) {
    callback = event.callback;
    const bool expired = (what & kExpired) != 0;
    if (event.waits && expired) record_expiry(event.address);
    if (event.interval > 0) {
      event.set(event.interval);
    } else if (event.waits && expired) {
      event.waits = false;
    } else if (!event.is_persistent) {
      event.cancel();
    }
  });
  if (callback == nullptr) {
    std::fputs("record.py: libevent runs an event that this recorder does not know\n", stderr);
    std::abort();
  }
  callback(descriptor, what, argument);
}

/// Returns the callback that the event shall have.
EventCallback assign(event* address, event_base* base, short what, EventCallback callback) {
  if (callback == &call_back || running_event_of() == nullptr) return callback;
  return watched<Event>([&](auto& events) {
    static std::uint64_t last_serial = 0;
    Event& event = events[address];
    event.cancel();
    event = {address, ++last_serial, callback, base};
    event.is_persistent = (what & kIsPersistent) != 0 && (what & kIsSignal) == 0;
    return &call_back;
  });
}

/// Call it before an event is freed. Another thread may still begin its callback, and needs our
/// data.
std::uint64_t cancel_for_ever(const event* address) {
  std::uint64_t serial = 0;
  with(address, [&](Event& event) {
    event.cancel();
    serial = event.serial;
  });
  return serial;
}

/// Call it after the event was freed.
void forget(const event* address, std::uint64_t serial) {
  watched<Event>([&](auto& events) {
    const auto found = events.find(address);
    if (found != events.end() && found->second.serial == serial) events.erase(found);
  });
}

void cancel(const event* address) {
  with(address, [](Event& event) { event.cancel(); });
}

void cancel_all_of(const event_base* base) {
  watched<Event>([&](auto& events) {
    for (auto& [address, event] : events) {
      if (event.base == base) event.cancel();
    }
  });
}

/// The timer of event_base_once. The program has no event for it.
struct Once {
  EventCallback callback;
  void* argument;
  bool is_timed;
};

void call_back_once(int descriptor, short what, void* data) {
  const auto* const once = static_cast<const Once*>(data);
  if (once->is_timed) {
    (what & kExpired) != 0 ? record_expiry(once) : record_cancel(once);
  }
  once->callback(descriptor, what, once->argument);
  delete once;
}

}  // namespace

}  // namespace timers::recorder

using namespace timers::recorder;

// The functions that the program calls in place of libevent's.
#pragma GCC visibility push(default)
extern "C" {

int event_assign(event* address, event_base* base, int descriptor, short what,
                 EventCallback callback, void* argument) {
  static constinit NextFunction<int(event*, event_base*, int, short, EventCallback, void*)> next(
      "event_assign");
  return next(address, base, descriptor, what, assign(address, base, what, callback), argument);
}

void event_set(event* address, int descriptor, short what, EventCallback callback, void* argument) {
  static constinit NextFunction<void(event*, int, short, EventCallback, void*)> next("event_set");
  next(address, descriptor, what, assign(address, base_of_event_init, what, callback), argument);
}

event* event_new(event_base* base, int descriptor, short what, EventCallback callback,
                 void* argument) {
  static constinit NextFunction<event*(event_base*, int, short, EventCallback, void*)> next(
      "event_new");
  event* const address = next(base, descriptor, what, callback, argument);
  if (address != nullptr) event_assign(address, base, descriptor, what, callback, argument);
  return address;
}

int event_base_loop(event_base* base, int flags) {
  static constinit NextFunction<int(event_base*, int)> next("event_base_loop");
  const Running running(base);
  return next(base, flags);
}

int event_base_dispatch(event_base* base) {
  static constinit NextFunction<int(event_base*)> next("event_base_dispatch");
  const Running running(base);
  return next(base);
}

/// Old programs have only one base, which libevent remembers.
event_base* event_init() {
  static constinit NextFunction<event_base*()> next("event_init");
  return base_of_event_init = next();
}

int event_loop(int flags) {
  static constinit NextFunction<int(int)> next("event_loop");
  const Running running(base_of_event_init);
  return next(flags);
}

int event_dispatch() {
  static constinit NextFunction<int()> next("event_dispatch");
  const Running running(base_of_event_init);
  return next();
}

int event_base_set(event_base* base, event* address) {
  static constinit NextFunction<int(event_base*, event*)> next("event_base_set");
  with(address, [&](Event& event) { event.base = base; });
  return next(base, address);
}

/// Records before the call: a thread that waits in the loop may see the timer expire at once.
int event_add(event* address, const timeval* delay) {
  static constinit NextFunction<int(event*, const timeval*)> next("event_add");
  if (delay == nullptr) return next(address, delay);
  with(address, [&](Event& event) {
    if (event.is_persistent) event.interval = nanoseconds(*delay);
    event.set(nanoseconds(*delay));
  });
  const int result = next(address, delay);
  if (result != 0) cancel(address);
  return result;
}

int event_del(event* address) {
  static constinit NextFunction<int(event*)> next("event_del");
  cancel(address);
  return next(address);
}

int event_del_block(event* address) {
  static constinit NextFunction<int(event*)> next("event_del_block");
  cancel(address);
  return next(address);
}

int event_del_noblock(event* address) {
  static constinit NextFunction<int(event*)> next("event_del_noblock");
  cancel(address);
  return next(address);
}

int event_remove_timer(event* address) {
  static constinit NextFunction<int(event*)> next("event_remove_timer");
  with(address, [](Event& event) {
    event.interval = 0;
    event.cancel();
  });
  return next(address);
}

void event_free(event* address) {
  static constinit NextFunction<void(event*)> next("event_free");
  const std::uint64_t serial = cancel_for_ever(address);
  next(address);
  forget(address, serial);
}

int event_finalize(unsigned flags, event* address, EventFinalizer callback) {
  static constinit NextFunction<int(unsigned, event*, EventFinalizer)> next("event_finalize");
  cancel(address);
  return next(flags, address, callback);
}

int event_free_finalize(unsigned flags, event* address, EventFinalizer callback) {
  static constinit NextFunction<int(unsigned, event*, EventFinalizer)> next("event_free_finalize");
  cancel(address);
  return next(flags, address, callback);
}

/// If libevent was linked with -Bsymbolic-functions, its own calls of event_del do not come here.
void event_base_free(event_base* base) {
  static constinit NextFunction<void(event_base*)> next("event_base_free");
  cancel_all_of(base);
  next(base);
}

void event_base_free_nofinalize(event_base* base) {
  static constinit NextFunction<void(event_base*)> next("event_base_free_nofinalize");
  cancel_all_of(base);
  next(base);
}

/// Without a delay there is no timer. With an empty delay libevent uses no timer.
int event_base_once(event_base* base, int descriptor, short what, EventCallback callback,
                    void* argument, const timeval* delay) {
  static constinit NextFunction<int(event_base*, int, short, EventCallback, void*, const timeval*)>
      next("event_base_once");
  const bool is_empty = delay == nullptr || nanoseconds(*delay) == 0;
  auto* const once =
      new Once{callback, argument, delay != nullptr && !(what == kExpired && is_empty)};
  if (once->is_timed) record_set(once, nanoseconds(*delay));
  const int result = next(base, descriptor, what, &call_back_once, once, delay);
  if (result != 0) {
    if (once->is_timed) record_cancel(once);
    delete once;
  }
  return result;
}

/// The program expects its own callback.
EventCallback event_get_callback(const event* address) {
  static constinit NextFunction<EventCallback(const event*)> next("event_get_callback");
  EventCallback callback = next(address);
  with(address, [&](const Event& event) { callback = event.callback; });
  return callback;
}

void event_get_assignment(const event* address, event_base** base, int* descriptor, short* what,
                          EventCallback* callback, void** argument) {
  static constinit NextFunction<void(const event*, event_base**, int*, short*, EventCallback*,
                                     void**)>
      next("event_get_assignment");
  next(address, base, descriptor, what, callback, argument);
  with(address, [&](const Event& event) {
    if (callback != nullptr) *callback = event.callback;
  });
}

}  // extern "C"
#pragma GCC visibility pop

namespace {

/// A program with libevent gets its file before main.
[[gnu::constructor]] void prepare() {
  Watched<Event>::get();
  if (find_next("event_add") != nullptr) prepare_lines();
}

}  // namespace
