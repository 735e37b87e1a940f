// A timer service with periodic tasks: a heartbeat at a fixed rate, and a report with a fixed
// delay.

#include <atomic>
#include <chrono>
#include <cstdio>
#include <exception>
#include <future>

#include "impls/clocks/clock.hpp"
#include "impls/services/scheduled_thread_pool.hpp"

int main() {
  using namespace std::chrono_literals;
  std::atomic<int> heartbeats = 0;
  std::promise<void> enough;
  timers::SteadyClock clock;
  timers::ScheduledThreadPool pool(
      clock, {.threads = 2, .on_error = [](std::exception_ptr) { std::puts("a task failed"); }});

  // Each run is due 10 ms after the one before was due, however long a run takes.
  const auto heartbeat = pool.schedule_at_fixed_rate(0ms, 10ms, [&] {
    if (++heartbeats == 5) enough.set_value();
  });
  // Each run is due 15 ms after the one before has ended.
  const auto report = pool.schedule_with_fixed_delay(
      15ms, 15ms, [&] { std::printf("heartbeats so far: %d\n", heartbeats.load()); });
  // A task that throws harms no other, and the service tells of it.
  pool.schedule(20ms, [] { throw 1; });
  const auto never = pool.schedule(1h, [] { std::puts("not today"); });

  enough.get_future().wait();
  pool.cancel(heartbeat);
  pool.cancel(report);
  const bool was_waiting = pool.cancel(never) == timers::CancelResult::cancelled;
  pool.stop();
  std::printf("heartbeats: %d\n", heartbeats.load());
  return was_waiting ? 0 : 1;
}
