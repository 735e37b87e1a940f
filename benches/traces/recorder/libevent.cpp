/// libevent's timers, as its users see them: each public function that sets or ends one, and each
/// callback. libevent tells a callback whether the timer expired or something else came. In both
/// cases the timer has ended, or it is set anew if it is persistent.
///
/// An event keeps its callback in itself. So ours is put there, with our own argument.

#include <sys/time.h>

#include <cstdint>
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

/// An event: in libevent every event may have a timer beside what else it waits for.
struct Event {
  event* address = nullptr;
  EventCallback callback = nullptr;
  void* argument = nullptr;
  event_base* base = nullptr;
  std::int64_t interval = 0;  // to which a persistent timer is set anew; 0: it is not
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

/// The upper bits of the microseconds may say in which queue of equal delays the timer is to be.
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

void call_back(int descriptor, short what, void* data) {
  auto& event = *static_cast<Event*>(data);
  EventCallback callback = nullptr;
  void* argument = nullptr;
  watched<Event>([&](auto& /*events*/) {
    callback = event.callback;
    argument = event.argument;
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
  callback(descriptor, what, argument);
}

/// The argument that goes with our callback.
void* assign(event* address, event_base* base, short what, EventCallback callback, void* argument) {
  return watched<Event>([&](auto& events) -> void* {
    Event& event = events[address];
    event.cancel();
    event = {address, callback, argument, base};
    event.is_persistent = (what & kIsPersistent) != 0 && (what & kIsSignal) == 0;
    return &event;
  });
}

/// What we know of it, which must live until no callback can begin.
auto forget(const event* address) {
  return watched<Event>([&](auto& events) {
    auto known = events.extract(address);
    if (known) known.mapped().cancel();
    return known;
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

/// The timer of event_base_once, which has no event that one could name.
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

// What the program calls in place of libevent's functions.
#pragma GCC visibility push(default)
extern "C" {

int event_assign(event* address, event_base* base, int descriptor, short what,
                 EventCallback callback, void* argument) {
  static auto* const next =
      next_function<int(event*, event_base*, int, short, EventCallback, void*)>("event_assign");
  static auto* const self = next_function<void*()>("event_self_cbarg");
  if (callback == &call_back) return next(address, base, descriptor, what, callback, argument);
  void* const wanted = self != nullptr && argument == self() ? address : argument;
  return next(address, base, descriptor, what, &call_back,
              assign(address, base, what, callback, wanted));
}

void event_set(event* address, int descriptor, short what, EventCallback callback, void* argument) {
  static auto* const next =
      next_function<void(event*, int, short, EventCallback, void*)>("event_set");
  next(address, descriptor, what, &call_back, assign(address, nullptr, what, callback, argument));
}

event* event_new(event_base* base, int descriptor, short what, EventCallback callback,
                 void* argument) {
  static auto* const next =
      next_function<event*(event_base*, int, short, EventCallback, void*)>("event_new");
  event* const address = next(base, descriptor, what, callback, argument);
  if (address != nullptr) event_assign(address, base, descriptor, what, callback, argument);
  return address;
}

int event_base_set(event_base* base, event* address) {
  static auto* const next = next_function<int(event_base*, event*)>("event_base_set");
  with(address, [&](Event& event) { event.base = base; });
  return next(base, address);
}

/// Before the call: a thread that waits in the loop may see the timer expire at once.
int event_add(event* address, const timeval* delay) {
  static auto* const next = next_function<int(event*, const timeval*)>("event_add");
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
  static auto* const next = next_function<int(event*)>("event_del");
  cancel(address);
  return next(address);
}

int event_del_block(event* address) {
  static auto* const next = next_function<int(event*)>("event_del_block");
  cancel(address);
  return next(address);
}

int event_del_noblock(event* address) {
  static auto* const next = next_function<int(event*)>("event_del_noblock");
  cancel(address);
  return next(address);
}

int event_remove_timer(event* address) {
  static auto* const next = next_function<int(event*)>("event_remove_timer");
  with(address, [](Event& event) {
    event.interval = 0;
    event.cancel();
  });
  return next(address);
}

void event_free(event* address) {
  static auto* const next = next_function<void(event*)>("event_free");
  const auto known = forget(address);
  next(address);
}

int event_finalize(unsigned flags, event* address, EventFinalizer callback) {
  static auto* const next = next_function<int(unsigned, event*, EventFinalizer)>("event_finalize");
  cancel(address);
  return next(flags, address, callback);
}

int event_free_finalize(unsigned flags, event* address, EventFinalizer callback) {
  static auto* const next =
      next_function<int(unsigned, event*, EventFinalizer)>("event_free_finalize");
  cancel(address);
  return next(flags, address, callback);
}

/// On Debian libevent ends each timer by event_del, which comes here. On Ubuntu it does not.
void event_base_free(event_base* base) {
  static auto* const next = next_function<void(event_base*)>("event_base_free");
  cancel_all_of(base);
  next(base);
}

void event_base_free_nofinalize(event_base* base) {
  static auto* const next = next_function<void(event_base*)>("event_base_free_nofinalize");
  cancel_all_of(base);
  next(base);
}

/// Without a delay there is no timer, and with an empty one libevent does without.
int event_base_once(event_base* base, int descriptor, short what, EventCallback callback,
                    void* argument, const timeval* delay) {
  static auto* const next =
      next_function<int(event_base*, int, short, EventCallback, void*, const timeval*)>(
          "event_base_once");
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

/// What the program asks of an event is what it put there.
EventCallback event_get_callback(const event* address) {
  static auto* const next = next_function<EventCallback(const event*)>("event_get_callback");
  EventCallback callback = next(address);
  with(address, [&](const Event& event) { callback = event.callback; });
  return callback;
}

void* event_get_callback_arg(const event* address) {
  static auto* const next = next_function<void*(const event*)>("event_get_callback_arg");
  void* argument = next(address);
  with(address, [&](const Event& event) { argument = event.argument; });
  return argument;
}

void event_get_assignment(const event* address, event_base** base, int* descriptor, short* what,
                          EventCallback* callback, void** argument) {
  static auto* const next =
      next_function<void(const event*, event_base**, int*, short*, EventCallback*, void**)>(
          "event_get_assignment");
  next(address, base, descriptor, what, callback, argument);
  with(address, [&](const Event& event) {
    if (callback != nullptr) *callback = event.callback;
    if (argument != nullptr) *argument = event.argument;
  });
}

}  // extern "C"
#pragma GCC visibility pop

namespace {

/// A program that has libevent gets its file before main.
[[gnu::constructor]] void prepare() {
  if (find_next("event_add") != nullptr) prepare_lines();
}

}  // namespace
