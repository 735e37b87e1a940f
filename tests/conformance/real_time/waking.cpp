#include <ctime>
#include <string_view>

#include "tests/conformance/real_time/injected_delays.hpp"
#include "tests/conformance/real_time/sentence.hpp"

namespace timers::real_time {
namespace {

/// Of the calling thread, or of all threads of the process.
Duration processor_time(clockid_t clock) {
  timespec time{};
  clock_gettime(clock, &time);
  return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
}

// C-07
const Sentence nearer("IsWokenByATimerThatIsDueFirst", [](Scenario& service) {
  Random random(1);
  Timer& far = service.schedule(1h);
  for (Rounds rounds(200); rounds.go_on();) {
    Scenario::pass(any_span(random, 200us));
    service.wait_for(service.schedule(any_span(random, 1ms)));
  }
  service.expect(service.cancel(far), "a timer cannot be cancelled an hour before its deadline");
});

// C-07: the moment between its last look at what waits and its sleep.
const Sentence falls_asleep("IsWokenWhileItGoesToSleep", [](Scenario& service) {
  const InjectedDelays delays;
  Random random(1);
  for (Rounds rounds(10'000); rounds.go_on();) {
    const std::uint64_t seed = random.bits();
    const Timer& timer = service.schedule(random.one_in(2) ? 0us : any_span(random, 20us), [=] {
      Random mine(seed);
      dawdle(mine, kMoment);
    });
    // The next one comes when this task ends, or a little before or after that. So this thread must
    // not sleep while a service wakes.
    const Instant patience = RealClock::now() + 2ms;
    while (timer.starts == 0 && RealClock::now() < patience) std::this_thread::yield();
    service.wait_until("a task that came while the service went to sleep",
                       [&] { return timer.starts > 0; });
    dawdle(random, kMoment);
  }
  service.wait_for_all();
});

// C-07
const Sentence earlier("IsWokenForTheEarlierOfTwo", [](Scenario& service) {
  const InjectedDelays delays;
  Random random(1);
  for (Rounds rounds(1'000); rounds.go_on();) {
    Timer* far = nullptr;
    const Timer* near = nullptr;
    const std::uint64_t seed = random.bits();
    together({[&] {
                Random mine(seed);
                dawdle(mine, kMoment);
                far = &service.schedule(1h);
              },
              [&] {
                Random mine(seed + 1);
                dawdle(mine, kMoment);
                near = &service.schedule(any_span(mine, 1ms));
              }});
    service.wait_until("the earlier one of two that were scheduled at once",
                       [&] { return near->ends > 0; });
    service.expect(service.cancel(*far), "the later one of two cannot be cancelled");
  }
});

// Of all timers the first one is cancelled, over and over: the others must not wait for it.
const Sentence after_cancel("RunsTheNextWhenTheFirstIsCancelled", [](Scenario& service) {
  Random random(1);
  for (Rounds rounds(200); rounds.go_on();) {
    Timer& first = service.schedule(5ms);
    const Timer& second = service.schedule(any_span(random, 6ms));
    dawdle(random, kMoment);
    service.cancel(first);
    service.wait_for(second);
  }
  service.wait_for_all();
});

// C-30: whoever cuts its sleeps to milliseconds does not sleep through the last one.
const Sentence rests_nearby("RestsUntilItsOnlyTimerIsDue", [](Scenario& service) {
  constexpr Duration kSpins = 200ms;
  const Duration all_before = processor_time(CLOCK_PROCESS_CPUTIME_ID);
  const Duration before = processor_time(CLOCK_THREAD_CPUTIME_ID);
  Duration own{};
  while (own < kSpins) {
    const Timer& near = service.schedule(900us);
    while (near.ends == 0 && own < kSpins) {
      own = processor_time(CLOCK_THREAD_CPUTIME_ID) - before;
    }
  }
  const Duration all = processor_time(CLOCK_PROCESS_CPUTIME_ID) - all_before;
  service.expect(all - own < own / 2, "it spins until its only timer is due");
  service.wait_for_all();
});

/// Nothing is due for long. This thread spins, and a service that spins gets about as much of the
/// processors, on a busy machine, too.
void expect_rest(Scenario& service, std::string_view fault) {
  constexpr Duration kSpins = 200ms;
  Scenario::pass(20ms);
  const Duration all_before = processor_time(CLOCK_PROCESS_CPUTIME_ID);
  const Duration before = processor_time(CLOCK_THREAD_CPUTIME_ID);
  Duration own{};
  while ((own = processor_time(CLOCK_THREAD_CPUTIME_ID) - before) < kSpins) service.progress();
  const Duration all = processor_time(CLOCK_PROCESS_CPUTIME_ID) - all_before;
  service.expect(all - own < own / 4, fault);
}

// C-30, D-05
const Sentence rests("RestsWhileItsOnlyTimerIsFarAway", [](Scenario& service) {
  Timer& far = service.schedule(1h);
  expect_rest(service, "it spins while its only timer is far away");
  service.cancel(far);
});

// C-30, D-89: nothing is left of the nearer deadline.
const Sentence rests_again("RestsWhenATimerThatCameNearerIsCancelled", [](Scenario& service) {
  service.needs_rearm();
  Timer& far = service.schedule(1h);
  for (int i = 0; i < 100; ++i) {
    Timer& timer = service.schedule(2h);
    service.rearm(timer, 5ms + i * 100us);
    service.cancel(timer);
  }
  expect_rest(service, "it spins when timers that came nearer were cancelled");
  service.cancel(far);
});

}  // namespace
}  // namespace timers::real_time
