#include "impls/peers/virtual_clock.hpp"

#include <dlfcn.h>

#include <utility>

namespace timers {
namespace {

constinit thread_local const VirtualClock* clock_of_this_thread = nullptr;

using ClockGettime = int (*)(clockid_t, timespec*);

/// The function of that name that would be called if there were none here.
int read_real_clock(clockid_t clock, timespec* time) {
  static const auto real = reinterpret_cast<ClockGettime>(dlsym(RTLD_NEXT, "clock_gettime"));
  return real(clock, time);
}

}  // namespace

VirtualClock::VirtualClock(timespec time)
    : time_(time), before_(std::exchange(clock_of_this_thread, this)) {}
VirtualClock::~VirtualClock() { clock_of_this_thread = before_; }

}  // namespace timers

extern "C" int clock_gettime(clockid_t clock, timespec* time) noexcept {
  if (timers::clock_of_this_thread == nullptr) return timers::read_real_clock(clock, time);
  *time = timers::clock_of_this_thread->time();
  return 0;
}
