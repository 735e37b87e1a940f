/// Timers that repeat at a fixed rate. No test judges how late a run is. Each test waits for
/// something that a correct service does sooner or later, and a wrong service never.

#include <any>
#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <utility>

#include "tests/conformance/real_time/injected_delays.hpp"
#include "tests/conformance/real_time/sentence.hpp"

namespace timers::real_time::about_periods {
namespace {

/// A timer that repeats, on the service of a scenario.
class Repeating {
 public:
  explicit Repeating(Scenario& scenario) : scenario_(scenario) { scenario.needs_periods(); }
  Repeating(const Repeating&) = delete;
  Repeating& operator=(const Repeating&) = delete;
  /// Destroys the service first, so that no run comes later.
  ~Repeating() { scenario_.destroy_service(); }

  /// `deed` gets the number of the run. The first run has number 0.
  void start(Duration period, std::function<void(std::int64_t)> deed = {}) {
    period_ = period;
    first_not_before_ = RealClock::now() + period;
    auto handle =
        scenario_.service().repeat(period, period, [this, deed = std::move(deed)] { run(deed); });
    const std::lock_guard lock(mutex_);
    handle_ = std::move(handle);
  }
  bool cancel() {
    std::any handle;
    {
      const std::lock_guard lock(mutex_);
      handle = handle_;
    }
    return scenario_.service().cancel_repeating(handle);
  }
  bool has_started() {
    const std::lock_guard lock(mutex_);
    return handle_.has_value();
  }

  std::int64_t starts() const { return starts_; }
  std::int64_t ends() const { return ends_; }
  /// The earliest instant for which this run may be planned.
  Instant planned(std::int64_t run) const { return first_not_before_ + run * period_; }

  void wait_for(std::int64_t runs) {
    scenario_.wait_until("a timer that repeats to run " + std::to_string(runs) + " times",
                         [&] { return ends_ >= runs; });
  }

 private:
  void run(const std::function<void(std::int64_t)>& deed) {
    const Instant now = RealClock::now();
    if (runs_now_++ > 0) scenario_.object("two runs of a timer overlapped");
    const std::int64_t number = starts_++;
    scenario_.expect(now >= planned(number), "a run of a timer started before its time");
    scenario_.progress();
    const struct End {
      Repeating& timer;
      ~End() {
        --timer.runs_now_;
        ++timer.ends_;
      }
    } end{*this};
    if (deed) deed(number);
  }

  Scenario& scenario_;
  Duration period_{};
  Instant first_not_before_;
  std::atomic<int> runs_now_ = 0;
  std::atomic<std::int64_t> starts_ = 0;
  std::atomic<std::int64_t> ends_ = 0;
  std::mutex mutex_;  // guards the handle, as the first run may come before it is set
  AnyService::Handle handle_;
};

//
const Sentence early("NeverRunsARepeatingTaskEarly", [](Scenario& service) {
  Repeating timer(service);
  timer.start(2ms);
  timer.wait_for(100);
});

// A-103, D-86: now and then a slow task makes a run late. A service that drifts counts the next run
// from the late one, so it comes a whole period later. In a correct service it comes much sooner.
const Sentence drift("DoesNotDriftFromAFixedRate", [](Scenario& service) {
  static constexpr Duration kPeriod = 4ms;
  service.needs_serial();
  if (service.kind().promises.missed_runs == MissedRuns::skipped) {
    throw Skip{"it skips missed runs, so with coarse ticks no two runs come closer than a tick"};
  }
  Instant before = Instant::max();
  std::atomic<bool> caught_up = false;
  std::atomic<bool> is_over = false;
  Repeating timer(service);
  timer.start(kPeriod, [&](std::int64_t run) {
    const Instant now = RealClock::now();
    if (run > 0 && now - before < kPeriod * 3 / 4) caught_up = true;
    before = now;
    if (run % 10 == 5) service.schedule(kPeriod / 2, [] { Scenario::pass(kPeriod); });
    if (caught_up || run == 300) is_over = true;
  });
  service.wait_until("the runs of a timer that repeats", [&] { return is_over.load(); });
  service.expect(caught_up,
                 "late runs make all later ones later: in 300 runs none came back to the rate");
  service.wait_for_all();
});

// the first run takes as long as 25 periods. The test counts the runs that are made up for
// from the start of the first run, which was at its planned time or later. So a correct service
// reaches the count even on a busy machine.
const Sentence missed("DoesWithMissedRunsWhatItPromises", [](Scenario& service) {
  constexpr Duration kPeriod = 2ms;
  constexpr std::int64_t kMissed = 24;
  const bool makes_up = service.kind().promises.missed_runs == MissedRuns::made_up_for;
  std::atomic<bool> made_up = false;
  std::atomic<bool> is_over = false;
  std::atomic<bool> too_soon = false;
  Instant first{};
  Repeating timer(service);
  timer.start(kPeriod, [&](std::int64_t run) {
    const Instant now = RealClock::now();
    if (run == 0) first = now;
    if (run > 0 && now < first + (run + 2) * kPeriod) made_up = true;
    if (run > 0 && now < timer.planned(run + kMissed)) too_soon = true;
    if (run == 0) Scenario::pass((kMissed + 1) * kPeriod);
    if (run == (makes_up ? 300 : 100) || (makes_up && made_up)) is_over = true;
  });
  service.wait_until("the runs of a timer that repeats", [&] { return is_over.load(); });
  if (makes_up) {
    service.expect(made_up, "in 300 runs it has not made up for 24 that it had missed");
  } else {
    service.expect(!too_soon, "it makes up for missed runs, and promises to skip them");
  }
});

// A-107, D-68
const Sentence itself("EndsWithTheRunThatCancelsIt", [](Scenario& service) {
  Repeating timer(service);
  timer.start(1ms, [&](std::int64_t run) {
    while (!timer.has_started()) std::this_thread::yield();
    if (run == 2) timer.cancel();
  });
  timer.wait_for(3);
  service.wait_for(service.schedule(20ms));
  service.wait_for(service.schedule(1ms));
  service.expect(timer.starts() == 3, "a run followed the one that cancelled its timer");
  service.expect(!timer.cancel(), "a timer that cancelled itself can be cancelled");
});

// A-108, C-01: some cancels come between two runs, others during a run.
const Sentence cancelled("BeginsNoRunOnceItIsCancelled", [](Scenario& service) {
  service.needs_periods();
  const InjectedDelays delays;
  Random random(1);
  std::deque<std::atomic<int>> counts;
  for (Rounds rounds(300); rounds.go_on();) {
    std::atomic<int>& starts = counts.emplace_back(0);
    const auto handle = service.service().repeat(100us, 100us, [&starts] { ++starts; });
    const Instant patience = RealClock::now() + 2ms;
    while (starts == 0 && RealClock::now() < patience) std::this_thread::yield();
    dawdle(random);
    const bool was_between = service.service().cancel_repeating(handle);
    const int before = starts;
    // If the cancel came too late for a run, this run may be about to begin, or to count itself.
    service.wait_for(service.schedule(1ms));
    service.wait_for(service.schedule(Duration::zero()));
    const int allowed = was_between ? before : before + 1;
    service.expect(starts <= allowed, "a run began after its timer was cancelled");
    service.progress();
  }
  service.destroy_service();  // No run may come after `counts` is gone.
});

//
const Sentence stopped("RunsNoRepeatingTaskOnceItIsStopped", [](Scenario& service) {
  service.needs_stop();
  Repeating timer(service);
  timer.start(1ms);
  timer.wait_for(5);
  const auto given_back = service.stop();
  const std::int64_t starts = timer.starts();
  service.expect(timer.ends() == starts, "stop returned during a run");
  if (given_back) service.expect(*given_back <= 1, "stop gave back a task twice");
  Scenario::pass(20ms);
  service.expect(timer.starts() == starts, "a run began when stop had returned");
});

}  // namespace
}  // namespace timers::real_time::about_periods
