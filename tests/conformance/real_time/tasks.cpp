#include <atomic>
#include <stdexcept>
#include <vector>

#include "tests/conformance/real_time/sentence.hpp"

namespace timers::real_time::about_tasks {
namespace {

const Sentence schedules("LetsATaskScheduleOthers", [](Scenario& service) {
  for (int i = 0; i < 100; ++i) {
    service.schedule(i * 50us, [&] {
      service.schedule(Duration::zero());
      service.schedule(1ms, [&] { service.schedule(1ms); });
    });
  }
  service.wait_until("all tasks that tasks scheduled", [&] { return service.started() == 400; });
  service.wait_for_all();
});

const Sentence cancels("LetsATaskCancelOthers", [](Scenario& service) {
  Timer& victim = service.schedule(1h);
  const Timer& canceller = service.schedule(
      1ms, [&] { service.expect(service.cancel(victim), "a task cannot cancel a pending timer"); });
  service.wait_for(canceller);
});

// Most timers of a program set themselves again.
const Sentence chain("LetsATaskGoOnForEver", [](Scenario& service) {
  Rounds rounds(2'000);
  std::atomic<bool> is_over = false;
  const Deed again = [&] {
    if (rounds.go_on()) {
      service.schedule(Duration::zero(), again);
    } else {
      is_over = true;
    }
  };
  service.schedule(Duration::zero(), again);
  service.wait_until("a task that sets itself anew each time", [&] { return is_over.load(); });
  service.wait_for_all();
});

// C-32: at the end of so many runs the other timer has been due for long.
const Sentence starves("RunsOthersWhileATaskSetsItselfAnew", [](Scenario& service) {
  constexpr int kRuns = 200'000;
  std::atomic<int> runs = 0;
  const Timer& other = service.schedule(1ms);
  const Deed again = [&] {
    if (other.starts == 0 && ++runs < kRuns) service.schedule(Duration::zero(), again);
  };
  service.schedule(Duration::zero(), again);
  service.wait_until("a timer that is due while a task sets itself anew each time",
                     [&] { return other.starts > 0 || runs == kRuns; });
  service.expect(runs < kRuns, "a timer that was due waited while a task ran 200,000 times");
  service.wait_for_all();
});

const Sentence destructors("LetsTheDestructorOfATaskCallIn", [](Scenario& service) {
  const Deed schedule_another = [&] { service.schedule(Duration::zero()); };
  // Otherwise a cancelled task may live until its deadline.
  const bool cancels_destroy = service.kind().promises.forgets_cancelled;
  for (int i = 0; i < 50; ++i) {
    service.schedule(1ms, {}, schedule_another).handle.reset();  // The handle may hold the task.
    if (!cancels_destroy) continue;
    Timer& cancelled = service.schedule(1h, {}, schedule_another);
    service.cancel(cancelled);
    cancelled.handle.reset();
  }
  const std::size_t starts = cancels_destroy ? 150 : 100;
  service.wait_until("tasks that the destructors of others scheduled",
                     [&] { return service.started() == starts; });
  service.wait_for_all();
});

const Sentence throws("LosesNoOtherTaskWhenOneThrows", [](Scenario& service) {
  if (!service.kind().promises.bears_exceptions) throw Skip{"its tasks must not throw"};
  for (int i = 0; i < 50; ++i) {
    service.schedule(i * 100us, [i] {
      if (i % 2 == 0) throw std::runtime_error("thrown by a task, to see who else it harms");
    });
  }
  service.wait_for_all();
});

const Sentence slow("RunsAllThatBecameDueDuringASlowTask", [](Scenario& service) {
  service.schedule(1ms, [&] { Scenario::pass(50ms); });
  for (int i = 0; i < 500; ++i) service.schedule(i * 100us);
  service.wait_for_all();
});

}  // namespace
}  // namespace timers::real_time::about_tasks
