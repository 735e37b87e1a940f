#include "tests/conformance/real_time/clock_readings.hpp"

#include <sys/time.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <ctime>

#include "tests/conformance/basic_sentence.hpp"
#include "tests/conformance/real_time/hidden_calls.hpp"
#include "tests/conformance/real_time/injected_delays.hpp"

namespace timers::real_time {

namespace {

std::atomic<std::time_t> seconds_ahead = 0;
std::atomic<std::int64_t> step_of_monotonic = 1;
std::atomic<std::int64_t> first_step = 0;  // steps count from here, so that the clock does not go
                                           // back

std::int64_t nanoseconds_of(const timespec& time) {
  constexpr std::int64_t kSecond = 1'000'000'000;
  return time.tv_sec * kSecond + time.tv_nsec;
}

}  // namespace

ClockReadings::ClockReadings() {
#if !TIMERBENCH_CALLS_CAN_BE_HIDDEN
  throw conformance::Skip{"ThreadSanitizer reads the clocks itself"};
#endif
}

ClockReadings::~ClockReadings() {
  seconds_ahead = 0;
  step_of_monotonic = 1;
}

void ClockReadings::set_wall_clock(Duration ahead) {
  seconds_ahead = std::chrono::duration_cast<std::chrono::seconds>(ahead).count();
}

void ClockReadings::make_coarse(Duration step) {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  first_step = nanoseconds_of(now);
  step_of_monotonic = step.count();
}

#if TIMERBENCH_CALLS_CAN_BE_HIDDEN

namespace {

/// Turns the true time of a clock into the time that the kit reports.
void change(clockid_t clock, timespec& time) {
  if (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE) {
    time.tv_sec += seconds_ahead.load(std::memory_order_relaxed);
  } else if (clock == CLOCK_MONOTONIC) {
    const std::int64_t step = step_of_monotonic.load(std::memory_order_acquire);
    if (step == 1) return;
    const std::int64_t first = first_step.load(std::memory_order_relaxed);
    const std::chrono::nanoseconds told(first + (nanoseconds_of(time) - first) / step * step);
    const auto seconds = std::chrono::floor<std::chrono::seconds>(told);
    time = {.tv_sec = seconds.count(), .tv_nsec = (told - seconds).count()};
  }
}

}  // namespace

#endif

}  // namespace timers::real_time

#if TIMERBENCH_CALLS_CAN_BE_HIDDEN

extern "C" {

int clock_gettime(clockid_t clock, timespec* time) noexcept {
  static auto* const read = timers::real_time::hidden<int(clockid_t, timespec*)>("clock_gettime");
  const int error = read(clock, time);
  if (error == 0) timers::real_time::change(clock, *time);
  timers::real_time::hold_up();
  return error;
}

int gettimeofday(timeval* __restrict time, void* __restrict) noexcept {
  timespec precise{};
  const int error = clock_gettime(CLOCK_REALTIME, &precise);
  *time = {.tv_sec = precise.tv_sec, .tv_usec = precise.tv_nsec / 1000};
  return error;
}

std::time_t time(std::time_t* time) noexcept {
  timespec precise{};
  clock_gettime(CLOCK_REALTIME, &precise);
  if (time != nullptr) *time = precise.tv_sec;
  return precise.tv_sec;
}

}  // extern "C"

#endif
