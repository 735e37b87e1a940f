#include <chrono>
#include <ctime>
#include <functional>
#include <string_view>

#include "tests/conformance/real_time/injected_delays.hpp"
#include "tests/conformance/real_time/sentence.hpp"

namespace timers::real_time::about_waking {
namespace {

/// The processor time of the calling thread, or of all threads of the process, depending on
/// `clock`.
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

// C-07: a timer comes between the service's last look at what waits and its sleep.
const Sentence falls_asleep("IsWokenWhileItGoesToSleep", [](Scenario& service) {
  const InjectedDelays delays;
  Random random(1);
  for (Rounds rounds(10'000); rounds.go_on();) {
    const std::uint64_t seed = random.bits();
    const Timer& timer = service.schedule(random.one_in(2) ? 0us : any_span(random, 20us), [=] {
      Random mine(seed);
      dawdle(mine, kMoment);
    });
    // The next timer is scheduled when this task ends, or a little before or after that. So this
    // thread must not sleep while a service wakes.
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

// The first of all timers is cancelled, over and over: the next timers must not be late for that.
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

/// This thread spins and calls `turn` over and over, until it has used some processor time. Returns
/// how much processor time the service used meanwhile, relative to that. A service that spins uses
/// about as much, even on a busy machine.
double share_of_service(const std::function<void()>& turn) {
  constexpr Duration kSpins = 200ms;
  const Duration all_before = processor_time(CLOCK_PROCESS_CPUTIME_ID);
  const Duration before = processor_time(CLOCK_THREAD_CPUTIME_ID);
  Duration own{};
  while ((own = processor_time(CLOCK_THREAD_CPUTIME_ID) - before) < kSpins) turn();
  const Duration all = processor_time(CLOCK_PROCESS_CPUTIME_ID) - all_before;
  return std::chrono::duration<double>(all - own) / std::chrono::duration<double>(own);
}

/// Expects that the service hardly uses the processor. Nothing may be due soon.
void expect_rest(Scenario& service, std::string_view fault) {
  Scenario::pass(20ms);
  service.expect(share_of_service([&] { service.progress(); }) < 0.25, fault);
}

// C-30, D-05
const Sentence rests("RestsWhileItsOnlyTimerIsFarAway", [](Scenario& service) {
  Timer& far = service.schedule(1h);
  expect_rest(service, "it spins while its only timer is far away");
  service.cancel(far);
});

// C-30, D-89: the service keeps nothing of the nearer deadline.
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

/// How much processor time the service uses while one timer of this delay after the other waits.
double share_while_waiting(Scenario& service, Duration delay) {
  const Timer* timer = &service.schedule(delay);
  return share_of_service([&] {
    service.progress();
    if (timer->ends > 0) timer = &service.schedule(delay);
  });
}

// C-30, D-05: a deadline is seldom at the beginning of a second. So a service that sleeps whole
// seconds spins.
const Sentence sleeps("SleepsUntilATimerIsDue", [](Scenario& service) {
  const double share = share_while_waiting(service, 100ms);
  service.expect(share < 0.25, "it spins while it waits for its only timer");
  service.wait_for_all();
});

// C-30: a service that rounds its sleeps down to milliseconds spins for the rest.
const Sentence sleeps_shortly("RestsUntilItsOnlyTimerIsDue", [](Scenario& service) {
  const double share = share_while_waiting(service, 900us);
  service.expect(share < 0.5, "it spins until its only timer is due");
  service.wait_for_all();
});

}  // namespace
}  // namespace timers::real_time::about_waking
