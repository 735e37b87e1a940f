#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "tests/conformance/real_time/injected_delays.hpp"
#include "tests/conformance/real_time/sentence.hpp"

namespace timers::real_time::about_rearm {
namespace {

const Sentence new_deadline("RunsARearmedTimerAtItsNewDeadline", [](Scenario& service) {
  service.needs_rearm();
  std::vector<Timer*> timers;
  for (int i = 0; i < 200; ++i) timers.push_back(&service.schedule(1h));
  Random random(1);
  for (Timer* timer : timers) {
    service.expect(service.rearm(*timer, any_span(random, 30ms)), "a pending timer cannot re-arm");
  }
  service.wait_for_all();
});

// For each packet a server puts off the time limit of its connection in this way.
const Sentence put_off("DoesNotRunATimerThatIsPutOffAgainAndAgain", [](Scenario& service) {
  service.needs_rearm();
  Timer& timer = service.schedule(1h);
  for (int i = 0; i < 200; ++i) {
    service.expect(service.rearm(timer, 1h), "a pending timer cannot re-arm");
    service.rearm(timer, 2h);
    Scenario::pass(100us);
  }
  service.expect(timer.starts == 0, "a timer that was put off ran");
  service.expect(service.rearm(timer, 1ms), "a pending timer cannot re-arm");
  service.wait_for(timer);
});

const Sentence too_late("CannotRearmATimerThatIsOver", [](Scenario& service) {
  service.needs_rearm();
  Timer& ran = service.schedule(Duration::zero());
  Timer& cancelled = service.schedule(1h);
  service.wait_for(ran);
  service.cancel(cancelled);
  service.expect(!service.rearm(ran, 1ms), "a timer that ran was re-armed");
  service.expect(!service.rearm(cancelled, 1ms), "a cancelled timer was re-armed");
  service.wait_for(service.schedule(10ms));
});

// Go had this wrong: golang/go#47329.
const Sentence rearm_or_start("LetsEitherARearmOrTheStartWin", [](Scenario& service) {
  service.needs_rearm();
  const InjectedDelays delays;
  const auto rearm_some = [&](std::uint64_t seed) {
    Random random(seed);
    for (Rounds rounds(50); rounds.go_on();) {
      std::vector<Timer*> timers;
      for (int i = 0; i < 50; ++i) timers.push_back(&service.schedule(any_span(random, 300us)));
      for (int times = 0; times < 200; ++times) {
        service.rearm(*timers[random.below(timers.size())], any_span(random, 500us));
        dawdle(random, kMoment);
      }
    }
  };
  together({[&] { rearm_some(1); }, [&] { rearm_some(2); }});
  service.wait_for_all();
});

/// A timer that two threads share. The ledger does not know it.
struct Shared {
  AnyService::Handle handle;
  std::atomic<int> starts = 0;
  std::atomic<bool> cancelled = false;

  void start(Scenario& service) {
    ++starts;
    service.progress();
  }
};

// C-31: two threads share a timer, like a reader of a connection and its clean-up. They go through
// the timers side by side, so that they meet at many timers.
const Sentence rearm_or_cancel("LetsEitherARearmOrACancelWin", [](Scenario& service) {
  service.needs_rearm();
  constexpr std::size_t kTimers = 200;
  std::deque<Shared> timers;
  for (Rounds rounds(2'000); rounds.go_on();) {
    for (std::size_t i = 0; i < kTimers; ++i) {
      Shared& timer = timers.emplace_back();
      timer.handle = service.service().schedule(1h, [&service, &timer] { timer.start(service); });
    }
    const auto first = timers.end() - kTimers;
    const auto rearm = [&](Shared& timer, Duration delay) {
      const bool was_cancelled = timer.cancelled;
      const bool rearmed = service.service().rearm(timer.handle, delay);
      service.expect(!was_cancelled || !rearmed, "a timer was re-armed after it was cancelled");
    };
    together({[&] {
                std::for_each(first, timers.end(), [&](Shared& timer) {
                  timer.cancelled = service.service().cancel(timer.handle);
                });
              },
              [&] {
                Duration delay{};
                std::for_each(first, timers.end(), [&](Shared& timer) {
                  rearm(timer, delay = 200us - delay);
                  rearm(timer, 300us);
                });
              }});
    service.progress();
  }
  const auto is_over = [](const Shared& timer) { return timer.cancelled || timer.starts > 0; };
  for (Shared& timer : timers) {
    service.service().rearm(timer.handle, Duration::zero());
    service.progress();
  }
  service.wait_until("timers that were re-armed, and whose cancel came too late",
                     [&] { return std::all_of(timers.begin(), timers.end(), is_over); });
  service.wait_for(service.schedule(2ms));
  service.destroy_service();
  for (const Shared& timer : timers) {
    service.expect(timer.starts == (timer.cancelled ? 0 : 1),
                   "a task ran twice, or though it was cancelled");
  }
});

// C-31
const Sentence two_rearms("RunsOnceATimerThatTwoThreadsRearm", [](Scenario& service) {
  service.needs_rearm();
  constexpr std::size_t kTimers = 200;
  std::deque<Shared> timers;
  for (Rounds rounds(500); rounds.go_on();) {
    for (std::size_t i = 0; i < kTimers; ++i) {
      Shared& timer = timers.emplace_back();
      timer.handle =
          service.service().schedule(300us, [&service, &timer] { timer.start(service); });
    }
    const auto rearm_all = [&](std::uint64_t seed) {
      Random random(seed);
      std::for_each(timers.end() - kTimers, timers.end(), [&](Shared& timer) {
        service.service().rearm(timer.handle, any_span(random, 600us));
      });
    };
    together({[&] { rearm_all(1); }, [&] { rearm_all(2); }});
    service.progress();
  }
  const auto has_run = [](const Shared& timer) { return timer.starts > 0; };
  service.wait_until("timers that two threads re-armed",
                     [&] { return std::all_of(timers.begin(), timers.end(), has_run); });
  service.wait_for(service.schedule(2ms));
  service.destroy_service();
  for (const Shared& timer : timers) service.expect(timer.starts == 1, "a re-armed task ran twice");
});

// The service looks at a deadline, and then starts the task. A re-arm may come between these two.
const Sentence rearms_meet("LetsEitherWinWhereRearmsMeetTheStarts", [](Scenario& service) {
  service.needs_rearm();
  for (Rounds rounds(1'000); rounds.go_on();) {
    meet_the_starts(service, [&](Timer& timer) { service.rearm(timer, 1ms); });
    service.wait_for_all();
  }
});

// The first new timer wakes the service, which takes in new timers from first to last. Meanwhile
// this thread re-arms them to an earlier deadline, from last to first.
const Sentence arrives("RunsATimerThatComesNearerWhileItArrives", [](Scenario& service) {
  service.needs_rearm();
  for (Rounds rounds(200); rounds.go_on();) {
    std::vector<Timer*> timers;
    for (int i = 0; i < 500; ++i) timers.push_back(&service.schedule(1h));
    for (auto timer = timers.rbegin(); timer != timers.rend(); ++timer) {
      service.rearm(**timer, Duration::zero());
    }
    service.wait_until("timers that came nearer while they were new",
                       [&] { return service.started() == service.scheduled(); });
  }
  service.wait_for_all();
});

// In a ring of 128, 256 or 512 buckets of a millisecond each, the re-armed timer falls into the
// same bucket again.
const Sentence whole_turn("RunsATimerThatIsPutOffByAWholeTurn", [](Scenario& service) {
  service.needs_rearm();
  struct Ring {
    std::unique_ptr<AnyService> service;
    std::atomic<bool> is_awake = false;
    std::atomic<bool> has_run = false;
  };
  std::vector<Ring> rings(3);
  Duration turn = 128ms;
  for (Ring& ring : rings) {
    ring.service = service.kind().make();
    ring.service->schedule(Duration::zero(), [&ring] { ring.is_awake = true; });
    service.wait_until("a task to run", [&] { return ring.is_awake.load(); });
    const Instant start = RealClock::now();
    const auto handle = ring.service->schedule(5ms, [&ring] { ring.has_run = true; });
    Scenario::pass(2ms);
    ring.service->rearm(handle, start + 5ms + turn - RealClock::now());
    turn *= 2;
  }
  for (const Ring& ring : rings) {
    service.wait_until("a timer that was put off by 128, 256 or 512 ms",
                       [&] { return ring.has_run.load(); });
  }
});

const Sentence cancels_rearmed("CancelsARearmedTimer", [](Scenario& service) {
  service.needs_rearm();
  for (int i = 0; i < 100; ++i) {
    Timer& timer = service.schedule(1h);
    service.rearm(timer, 50ms);
    service.expect(service.cancel(timer), "a re-armed timer cannot be cancelled");
  }
  service.wait_for(service.schedule(60ms));
});

}  // namespace
}  // namespace timers::real_time::about_rearm
