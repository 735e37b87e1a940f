#pragma once

/// Our data about the timers of a library, by their addresses. Any number of threads may use it.
///
///     watched<Timer>([&](auto& timers) { timers[handle].callback = callback; });

#include <pthread.h>

#include <mutex>
#include <unordered_map>

namespace timers::recorder {

/// There is one object for each kind of timer. It has no destructor, because a program may have
/// timers until its very end. A child may be forked while another thread is in here, so a fork
/// waits for that thread. A constructor in the source of each library makes the object before main.
/// Usually there is no other thread then.
template <class Timer>
struct Watched {
  std::mutex mutex;
  std::unordered_map<const void*, Timer> timers;

  static Watched& get() {
    static Watched& only = *new Watched;
    [[maybe_unused]] static const int is_safe = pthread_atfork(
        [] { get().mutex.lock(); }, [] { get().mutex.unlock(); }, [] { get().mutex.unlock(); });
    return only;
  }
};

/// `function` must not wait for a lock of the library: the owner of that lock may wait for ours.
template <class Timer, class Function>
auto watched(const Function& function) {
  auto& all = Watched<Timer>::get();
  const std::scoped_lock lock(all.mutex);
  return function(all.timers);
}

}  // namespace timers::recorder
