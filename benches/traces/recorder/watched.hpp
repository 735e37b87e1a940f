#pragma once

/// What we know of the timers of a library, by their addresses. For any number of threads.
///
///     watched<Timer>([&](auto& timers) { timers[handle].callback = callback; });

#include <pthread.h>

#include <mutex>
#include <unordered_map>

namespace timers::recorder {

/// There is one for each kind of timer. It has no destructor: a program may have timers until its
/// very end. A child may be forked while another thread is in here, so a fork waits for that. A
/// constructor in the file of each library makes it before main. Usually there is no other thread
/// then.
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

/// Nothing in there may wait for a lock of the library: who holds that may wait for ours.
template <class Timer, class Function>
auto watched(const Function& function) {
  auto& all = Watched<Timer>::get();
  const std::scoped_lock lock(all.mutex);
  return function(all.timers);
}

}  // namespace timers::recorder
