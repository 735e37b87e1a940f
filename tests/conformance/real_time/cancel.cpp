#include <atomic>
#include <thread>
#include <vector>

#include "tests/conformance/real_time/injected_delays.hpp"
#include "tests/conformance/real_time/sentence.hpp"

namespace timers::real_time::about_cancel {
namespace {

//
const Sentence never("NeverRunsACancelledTask", [](Scenario& service) {
  Random random(1);
  std::vector<Timer*> timers;
  for (int i = 0; i < 1'000; ++i) timers.push_back(&service.schedule(1ms + any_span(random, 50ms)));
  for (std::size_t i = 0; i < timers.size(); i += 2) service.cancel(*timers[i]);
  service.wait_for_all();
  service.wait_for(service.schedule(10ms));  // At the end the ledger looks for tasks that ran in
                                             // spite of it.
});

//
const Sentence once("CancelsATimerOnce", [](Scenario& service) {
  Timer& timer = service.schedule(1h);
  service.expect(service.cancel(timer), "a timer cannot be cancelled an hour before its deadline");
  service.expect(!service.cancel(timer), "a cancel succeeds twice");
});

// C-01: the threads go through the timers side by side, so that they meet at many. The ledger does
// not know timers that two threads cancel.
const Sentence by_two("CancelsATimerOnceForTwoThreads", [](Scenario& service) {
  const InjectedDelays delays;
  constexpr int kTimers = 200;
  for (Rounds rounds(30); rounds.go_on();) {
    std::vector<AnyService::Handle> handles;
    for (int i = 0; i < kTimers; ++i) handles.push_back(service.service().schedule(1h, [] {}));
    std::atomic<int> cancelled = 0;
    const auto cancel_all = [&] {
      for (const AnyService::Handle& handle : handles) {
        if (service.service().cancel(handle)) ++cancelled;
      }
    };
    together({cancel_all, cancel_all});
    service.expect(cancelled == kTimers, "of two cancels of a timer both succeeded, or neither");
    service.progress();
  }
});

const Sentence stale("KnowsAHandleOfATimerThatRan", [](Scenario& service) {
  std::vector<Timer*> ran;
  for (int i = 0; i < 500; ++i) ran.push_back(&service.schedule(Duration::zero()));
  service.wait_for_all();
  std::vector<Timer*> later;
  for (int i = 0; i < 500; ++i) later.push_back(&service.schedule(1h));
  for (Timer* timer : ran) {
    service.expect(!service.cancel(*timer), "a timer that ran can be cancelled");
  }
  for (Timer* timer : later) {
    service.expect(service.cancel(*timer), "the handle of a timer that ran cancelled a later one");
  }
});

// A-61, D-57: besides, a cancel that fails does not keep other tasks from running.
const Sentence itself("CannotCancelATimerInItsOwnTask", [](Scenario& service) {
  std::atomic<Timer*> own = nullptr;
  Timer& timer = service.schedule(1ms, [&] {
    while (own == nullptr) std::this_thread::yield();
    service.expect(!service.cancel(*own), "a task cancelled its own timer");
  });
  own = &timer;
  service.wait_for(timer);
  service.wait_for(service.schedule(Duration::zero()));
});

// C-01: two threads cancel timers near their deadlines.
const Sentence one_wins("LetsEitherACancelOrTheStartWin", [](Scenario& service) {
  const InjectedDelays delays;
  const auto cancel_some = [&](std::uint64_t seed) {
    Random random(seed);
    for (Rounds rounds(100); rounds.go_on();) {
      std::vector<Timer*> timers;
      for (int i = 0; i < 50; ++i) timers.push_back(&service.schedule(any_span(random, 300us)));
      for (Timer* timer : timers) {
        dawdle(random, kMoment);
        service.cancel(*timer);
      }
    }
  };
  together({[&] { cancel_some(1); }, [&] { cancel_some(2); }});
  service.wait_for_all();
});

// C-01: cancels go from the last timer to the first, and starts from the first to the last. The
// point where they meet depends on nanoseconds.
const Sentence cancels_meet("LetsEitherWinWhereCancelsMeetTheStarts", [](Scenario& service) {
  for (Rounds rounds(2'000); rounds.go_on();) {
    meet_the_starts(service, [&](Timer& timer) { service.cancel(timer); });
    service.wait_for_all();
  }
});

const Sentence forgets("ForgetsWhatIsCancelled", [](Scenario& service) {
  if (!service.kind().promises.forgets_cancelled) throw Skip{"it keeps what is cancelled"};
  constexpr std::size_t kTimers = 100'000;
  for (std::size_t i = 0; i < kTimers; ++i) {
    Timer& timer = service.schedule(1h);
    service.cancel(timer);
    timer.handle.reset();  // The handle may hold the task.
  }
  service.wait_for(service.schedule(1ms));
  service.wait_until("the tasks of cancelled timers to be destroyed",
                     [&] { return service.destroyed() >= kTimers; });
});

}  // namespace
}  // namespace timers::real_time::about_cancel
