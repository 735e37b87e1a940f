#include "tests/conformance/real_time/injected_delays.hpp"

#include <pthread.h>
#include <sched.h>

#include <atomic>
#include <cstdint>
#include <ctime>

#include "tests/conformance/allocations.hpp"
#include "tests/conformance/random.hpp"
#include "tests/conformance/real_time/hidden_calls.hpp"
#include "tests/conformance/threads_together.hpp"

namespace timers::real_time {

namespace {

std::atomic<bool> are_injected = false;
std::atomic<std::uint64_t> next_seed = 1;

}  // namespace

/// Most calls do not wait at all, or wait for less than a microsecond.
void hold_up() {
  if (!are_injected.load(std::memory_order_relaxed)) return;
  static thread_local conformance::Random random(next_seed.fetch_add(1, std::memory_order_relaxed));
  const std::uint64_t choice = random.below(1024);
  if (choice < 128) {
    conformance::dawdle(random, 12);
  } else if (choice < 160) {
    sched_yield();
  } else if (choice == 160) {
    timespec moment{.tv_sec = 0, .tv_nsec = 20'000};
    nanosleep(&moment, nullptr);
  }
}

InjectedDelays::InjectedDelays() {
  are_injected = true;
  conformance::around_allocations = &hold_up;
}
InjectedDelays::~InjectedDelays() {
  conformance::around_allocations = nullptr;
  are_injected = false;
}

}  // namespace timers::real_time

#if TIMERBENCH_CALLS_CAN_BE_HIDDEN

extern "C" {

int pthread_mutex_lock(pthread_mutex_t* mutex) noexcept {
  static auto* const lock = timers::real_time::hidden<int(pthread_mutex_t*)>("pthread_mutex_lock");
  timers::real_time::hold_up();
  return lock(mutex);
}

int pthread_mutex_unlock(pthread_mutex_t* mutex) noexcept {
  static auto* const unlock =
      timers::real_time::hidden<int(pthread_mutex_t*)>("pthread_mutex_unlock");
  const int error = unlock(mutex);
  timers::real_time::hold_up();
  return error;
}

}  // extern "C"

#endif
