#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "tests/conformance/real_time/injected_delays.hpp"
#include "tests/conformance/real_time/sentence.hpp"
#include "tests/conformance/sanitizers.hpp"

namespace timers::real_time::about_stop {
namespace {

/// If stop gives back tasks, each accepted task must have run, or must have been given back.
void expect_all_accounted_for(Scenario& service, std::optional<std::size_t> given_back,
                              std::size_t accepted) {
  if (!given_back) return;
  const std::size_t ran = service.started();
  service.expect(ran + *given_back == accepted,
                 "of " + std::to_string(accepted) + " tasks " + std::to_string(ran) + " ran, and " +
                     std::to_string(*given_back) + " were given back by stop");
}

/// Some tasks that are due at once. Each runs until a moment after `stoppers` threads have stopped
/// the service. Meanwhile a service with one thread can do nothing else.
class BusyUntilStopped {
 public:
  explicit BusyUntilStopped(Scenario& service, int stoppers = 1)
      : service_(service), missing_(stoppers) {
    for (int i = 0; i < 10; ++i) service.schedule(2ms, [this] { run(); });
    service.wait_until("a task to start", [&] { return started_ > 0; });
  }
  BusyUntilStopped(const BusyUntilStopped&) = delete;
  BusyUntilStopped& operator=(const BusyUntilStopped&) = delete;
  ~BusyUntilStopped() {
    service_.wait_until("a task to end", [&] { return is_over(); });
  }

  std::optional<std::size_t> stop() {
    --missing_;
    return service_.stop();
  }
  /// Whether each task that started has ended.
  bool is_over() const { return ended_ == started_; }

 private:
  void run() {
    ++started_;
    while (missing_ > 0) std::this_thread::sleep_for(100us);
    Scenario::pass(5ms);
    ++ended_;
  }

  Scenario& service_;
  std::atomic<int> missing_;
  std::atomic<int> started_ = 0;
  std::atomic<int> ended_ = 0;
};

const Sentence nothing("RunsNothingOnceItIsStopped", [](Scenario& service) {
  service.needs_stop();
  for (int i = 0; i < 200; ++i) service.schedule(i * 200us);
  Scenario::pass(10ms);
  const auto given_back = service.stop();
  const std::size_t ran = service.started();
  expect_all_accounted_for(service, given_back, service.scheduled());
  Scenario::pass(60ms);
  service.expect(service.started() == ran, "a task started when stop had returned");
});

// C-19
const Sentence under_load("LosesNothingWhenItIsStoppedUnderLoad", [](Scenario& service) {
  service.needs_stop();
  const InjectedDelays delays;
  std::atomic<std::size_t> accepted = 0;
  std::atomic<bool> is_stopped = false;
  std::optional<std::size_t> given_back;
  const auto schedule_some = [&](std::uint64_t seed) {
    Random random(seed);
    for (int i = 0; i < 100'000 && !is_stopped; ++i) {
      if (service.try_to_schedule(any_span(random, 20ms)) != nullptr) ++accepted;
    }
  };
  together({[&] { schedule_some(1); }, [&] { schedule_some(2); },
            [&] {
              Scenario::pass(10ms);
              given_back = service.stop();
              is_stopped = true;
            }});
  expect_all_accounted_for(service, given_back, accepted);
});

// C-19: timers come, over and over, between the service's last look at its inbox and its first
// refusal.
const Sentence late_comers("LosesNoTimerThatComesAsItStops", [](Scenario& service) {
  service.needs_stop();
  if (!service.kind().gives_tasks_back) throw Skip{"it gives no tasks back"};
  const InjectedDelays delays;
  std::uint64_t seed = 0;
  for (Rounds rounds(2'000); rounds.go_on(); ++seed) {
    const auto other = service.kind().make();
    std::atomic<std::size_t> accepted = 0;
    std::atomic<bool> is_stopped = false;
    std::optional<std::size_t> given_back;
    const auto schedule_some = [&] {
      try {
        for (int i = 0; i < 10'000 && !is_stopped; ++i) {
          other->schedule(1h, [] {});
          ++accepted;
        }
      } catch (const std::exception&) {  // The service is stopped.
      }
    };
    together({schedule_some, schedule_some, [&] {
                Random random(seed);
                dawdle(random);
                given_back = other->stop();
                is_stopped = true;
              }});
    service.expect(given_back == accepted,
                   "a timer that came as the service stopped was neither "
                   "refused nor given back by stop");
    service.progress();
  }
});

// C-19: a cancel takes some timers, and a re-arm moves the others, while the stop takes all.
const Sentence meanwhile("CancelsOrGivesBackATimerAsItStops", [](Scenario& service) {
  service.needs_stop();
  if (!service.kind().gives_tasks_back) throw Skip{"it gives no tasks back"};
  const InjectedDelays delays;
  Random random(1);
  constexpr std::size_t kTimers = 100;
  for (Rounds rounds(50); rounds.go_on();) {
    const auto other = service.kind().make();
    std::vector<AnyService::Handle> handles;
    for (std::size_t i = 0; i < kTimers; ++i) handles.push_back(other->schedule(1h, [] {}));
    std::size_t cancelled = 0;
    std::optional<std::size_t> given_back;
    const auto cancel_some = [&] {
      for (std::size_t i = 0; i < kTimers; ++i) {
        if (i % 2 == 0) {
          cancelled += other->cancel(handles[i]) ? 1 : 0;
        } else if (service.kind().can_rearm) {
          other->rearm(handles[i], 30min);
        }
      }
    };
    together({cancel_some, [&] {
                dawdle(random);
                given_back = other->stop();
              }});
    service.expect(*given_back + cancelled == kTimers,
                   "a timer was cancelled or re-armed as the service stopped, and stop lost it, or "
                   "gave it back all the same");
    service.progress();
  }
});

// C-21, C-22: both threads wait for the task that runs.
const Sentence twice("IsStoppedByTwoThreads", [](Scenario& service) {
  service.needs_stop();
  const InjectedDelays delays;
  BusyUntilStopped busy(service, 2);
  for (int i = 0; i < 1'000; ++i) service.schedule(i * 10us);
  std::vector<std::optional<std::size_t>> given_back(2);
  const auto stop = [&](std::optional<std::size_t>& to) {
    to = busy.stop();
    service.expect(busy.is_over(), "a stop returned while a task ran");
  };
  together({[&] { stop(given_back[0]); }, [&] { stop(given_back[1]); }});
  if (service.kind().gives_tasks_back) {
    expect_all_accounted_for(service, *given_back[0] + *given_back[1], service.scheduled());
  }
});

// C-19: stop also gives back timers that the service has received, but not yet sorted in.
const Sentence very_many("GivesBackVeryMany", [](Scenario& service) {
  service.needs_stop();
  BusyUntilStopped busy(service);
  for (int i = 0; i < conformance::share_of(230'000); ++i) service.schedule(1h);
  expect_all_accounted_for(service, busy.stop(), service.scheduled());
});

// C-20: the stop comes between the service's last look at what waits and its sleep.
const Sentence stopped_falling_asleep("IsStoppedWhileItGoesToSleep", [](Scenario& service) {
  const InjectedDelays delays;
  Random random(1);
  for (Rounds rounds(1'000); rounds.go_on();) {
    std::atomic<bool> has_run = false;
    const auto other = service.kind().make();
    other->schedule(Duration::zero(), [&] { has_run = true; });
    // This thread must not sleep while the service wakes.
    const Instant patience = RealClock::now() + 2ms;
    while (!has_run && RealClock::now() < patience) std::this_thread::yield();
    dawdle(random, kMoment);
    if (service.kind().can_stop && random.one_in(2)) other->stop();
    service.progress();
  }
});

const Sentence destroyed("IsDestroyedWhileTimersArePending", [](Scenario& service) {
  for (int i = 0; i < 1'000; ++i) service.schedule(i * 10us);
  service.destroy_service();
  const std::size_t ran = service.started();
  Scenario::pass(20ms);
  service.expect(service.started() == ran, "a task started when its service was gone");
});

// C-22
const Sentence destroyed_in_run("WaitsForTheTaskThatRunsWhenItIsDestroyed", [](Scenario& service) {
  std::atomic<bool> is_over = false;
  const Timer& timer = service.schedule(Duration::zero(), [&] {
    Scenario::pass(20ms);
    is_over = true;
  });
  service.wait_until("a task to start", [&] { return timer.starts > 0; });
  service.destroy_service();
  service.expect(is_over, "the destructor returned while a task ran");
  service.wait_until("the task to end", [&] { return is_over.load(); });
});

const Sentence unused("IsDestroyedUnused", [](Scenario& service) { service.destroy_service(); });

}  // namespace
}  // namespace timers::real_time::about_stop
