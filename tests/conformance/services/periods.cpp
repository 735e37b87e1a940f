/// Timers that repeat: when their runs take place, and how they end.

#include <gtest/gtest.h>

#include <algorithm>
#include <any>
#include <atomic>
#include <cstddef>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

#include "tests/conformance/services/delays.hpp"
#include "tests/conformance/services/promises.hpp"
#include "tests/conformance/services/sentence.hpp"

namespace timers::service_conformance::about_periods {
namespace {

/// One timer that repeats, on a fresh service, and when its runs started and ended.
class Repeating {
 public:
  using Deed = std::function<void()>;

  Repeating(const ServiceKind& kind, Repeats how)
      : promises_(kind.promises),
        how_(how),
        service_(
            kind.make(clock_, {.on_error = [this](const std::exception_ptr&) { ++errors_; }})) {
    const bool can =
        how == Repeats::at_a_rate ? kind.can_repeat_at_a_rate : kind.can_repeat_with_a_delay;
    if (!can) {
      throw Skip{how == Repeats::at_a_rate ? "it cannot repeat at a fixed rate"
                                           : "it cannot repeat with a fixed delay"};
    }
  }
  Repeating(const Repeating&) = delete;
  Repeating& operator=(const Repeating&) = delete;
  ~Repeating() {
    // If a run has not ended yet, it ends first.
    cancel();
    clock_.advance_by(1h);
    service_.reset();
    EXPECT_EQ(destroyed_, made_)
        << "each task must be destroyed once, at the latest with its service";
  }

  /// Each run is recorded, and then calls `deed`.
  void start(Duration first, Duration period, Deed deed = {}) {
    std::any handle = service_->repeat(how_, first, period, task(std::move(deed)));
    const std::lock_guard lock(mutex_);
    handle_ = std::move(handle);
  }
  /// Starts no task at all, which every service refuses.
  void start_no_task(Duration first, Duration period) {
    service_->repeat(how_, first, period, TimerTask());
  }
  CancelResult cancel() {
    std::any handle;
    {
      const std::lock_guard lock(mutex_);
      handle = handle_;
    }
    return handle.has_value() ? service_->cancel_repeating(how_, handle) : CancelResult::gone;
  }

  /// A task that runs once.
  void schedule(Duration delay, Deed deed) { service_->schedule(delay, std::move(deed)); }

  /// Moves time like real time, or at once.
  void run_for(Duration span) { clock_.run_for(span); }
  void jump(Duration span) { clock_.advance_by(span); }
  void sleep_for(Duration span) { clock_.sleep_for(span); }
  /// Moves time so far that all that is due in `delay` has started.
  void pass(Duration delay) { run_for(delay + lateness()); }

  Duration now() const { return clock_.now().time_since_epoch(); }
  Duration lateness() const { return service_->max_lateness(); }
  /// Longer than the greatest lateness of a run.
  Duration period() const { return std::max<Duration>(100ms, 4 * lateness()); }
  const ServicePromises& promises() const { return promises_; }
  AnyService& service() { return *service_; }
  /// For a thread that calls the service while time moves.
  ManualClock& clock() { return clock_; }

  std::vector<Duration> starts() const {
    const std::lock_guard lock(mutex_);
    return starts_;
  }
  std::size_t runs() const { return starts().size(); }
  std::vector<Duration> ends() const {
    const std::lock_guard lock(mutex_);
    return ends_;
  }
  bool overlapped() const { return overlapped_; }
  int destroyed() const { return destroyed_; }
  int errors() const { return errors_; }

  /// Expects that a run started between `due` and the latest instant that the service allows for
  /// it.
  void expect_start(std::size_t run, Duration due) const {
    const std::vector<Duration> all = starts();
    ASSERT_GT(all.size(), run);
    EXPECT_GE(all[run], due) << "run " << run << " is early";
    EXPECT_LE(all[run], due + lateness()) << "run " << run << " is late";
  }

 private:
  TimerTask task(Deed deed) {
    ++made_;
    const auto die = [this](int*) { ++destroyed_; };
    return [this, deed = std::move(deed), dies = std::shared_ptr<int>(nullptr, die)] {
      const Run run(*this);
      if (deed) deed();
    };
  }

  struct Run {
    Repeating& timer;
    explicit Run(Repeating& of) : timer(of) {
      if (timer.running_++ > 0) timer.overlapped_ = true;
      const std::lock_guard lock(timer.mutex_);
      timer.starts_.push_back(timer.now());
    }
    Run(const Run&) = delete;
    Run& operator=(const Run&) = delete;
    ~Run() {
      const std::lock_guard lock(timer.mutex_);
      timer.ends_.push_back(timer.now());
      --timer.running_;
    }
  };

  const ServicePromises promises_;
  const Repeats how_;
  ManualClock clock_;
  std::atomic<int> running_ = 0;
  std::atomic<bool> overlapped_ = false;
  std::atomic<int> made_ = 0;
  std::atomic<int> destroyed_ = 0;
  std::atomic<int> errors_ = 0;  // that the handler of the service got

  mutable std::mutex mutex_;  // guards these
  std::any handle_;
  std::vector<Duration> starts_;
  std::vector<Duration> ends_;

  std::unique_ptr<AnyService> service_;
};

/// Runs a test for both ways to repeat. Skips it if the service has neither.
template <class Test>
void for_each_way(const ServiceKind& kind, Test test) {
  if (!kind.can_repeat_at_a_rate && !kind.can_repeat_with_a_delay) throw Skip{"it cannot repeat"};
  for (const Repeats how : {Repeats::at_a_rate, Repeats::with_a_delay}) {
    SCOPED_TRACE(how == Repeats::at_a_rate ? "at a fixed rate" : "with a fixed delay");
    try {
      Repeating timer(kind, how);
      test(timer);
    } catch (const Skip&) {  // The service has only the other way.
    }
  }
}

//
const Sentence rate("DoesNotDriftFromAFixedRate", [](const ServiceKind& kind) {
  Repeating timer(kind, Repeats::at_a_rate);
  const Duration period = timer.period();
  timer.start(2 * period, period, [&] { timer.sleep_for(period / 8); });
  timer.pass(101 * period);
  ASSERT_EQ(timer.runs(), 100u);
  for (int run = 0; run < 100; ++run) {
    timer.expect_start(static_cast<std::size_t>(run), (run + 2) * period);
  }
});

// A-103, D-86: a service that counts from a late start is late for ever.
const Sentence after_a_late_run("KeepsItsRateAfterARunThatWasLate", [](const ServiceKind& kind) {
  Repeating timer(kind, Repeats::at_a_rate);
  const Duration period = timer.period();
  timer.start(period, period);
  timer.schedule(5 * period - period / 4, [&] { timer.sleep_for(period / 2); });
  timer.pass(9 * period);
  ASSERT_EQ(timer.runs(), 9u);
  for (int run = 0; run < 9; ++run) {
    if (run != 4) timer.expect_start(static_cast<std::size_t>(run), (run + 1) * period);
  }
});

//
const Sentence missed("DoesWithMissedRunsWhatItPromises", [](const ServiceKind& kind) {
  Repeating timer(kind, Repeats::at_a_rate);
  const Duration period = timer.period();
  const bool makes_up = timer.promises().missed_runs == MissedRuns::made_up_for;
  timer.start(period, period);
  timer.jump(5 * period + period / 2);
  const std::size_t after_the_jump = makes_up ? 5 : 1;
  EXPECT_EQ(timer.runs(), after_the_jump);
  timer.run_for(period / 2 + timer.lateness());
  EXPECT_EQ(timer.runs(), after_the_jump + 1);
  if (testing::Test::HasFailure()) return;
  timer.expect_start(after_the_jump, 6 * period);
  timer.run_for(4 * period);
  EXPECT_EQ(timer.runs(), after_the_jump + 5);
});

//
const Sentence overrun("DoesWithMissedRunsWhatItPromisesAfterALongRun",
                       [](const ServiceKind& kind) {
                         Repeating timer(kind, Repeats::at_a_rate);
                         const Duration period = timer.period();
                         const bool makes_up =
                             timer.promises().missed_runs == MissedRuns::made_up_for;
                         std::atomic<bool> is_first = true;
                         timer.start(period, period, [&] {
                           if (is_first.exchange(false)) timer.sleep_for(4 * period + period / 4);
                         });
                         timer.pass(10 * period);
                         // The runs of the periods 2 to 5 were missed.
                         EXPECT_EQ(timer.runs(), makes_up ? 10u : 7u);
                       });

//
const Sentence fixed_delay("CountsAFixedDelayFromTheEndOrTheStartAsItPromises",
                           [](const ServiceKind& kind) {
                             Repeating timer(kind, Repeats::with_a_delay);
                             const Duration delay = timer.period();
                             timer.start(delay, delay, [&] { timer.sleep_for(delay / 2); });
                             timer.run_for(24 * delay);
                             const bool from_end = timer.promises().delays_count_from_the_end;
                             const std::vector<Duration> before =
                                 from_end ? timer.ends() : timer.starts();
                             ASSERT_GE(timer.runs(), 12u);
                             timer.expect_start(0, delay);
                             for (std::size_t run = 1; run < 12; ++run) {
                               timer.expect_start(run, before[run - 1] + delay);
                             }
                           });

//
const Sentence no_burst("MissesNoRunOfAFixedDelay", [](const ServiceKind& kind) {
  Repeating timer(kind, Repeats::with_a_delay);
  const Duration delay = timer.period();
  timer.start(delay, delay);
  timer.jump(5 * delay + delay / 2);
  EXPECT_EQ(timer.runs(), 1u);
  timer.run_for(delay - 1ns);
  EXPECT_EQ(timer.runs(), 1u);
  timer.pass(1ns);
  EXPECT_EQ(timer.runs(), 2u);
});

//
const Sentence many("KeepsManyPeriodsApart", [](const ServiceKind& kind) {
  if (!kind.can_repeat_at_a_rate) throw Skip{"it cannot repeat at a fixed rate"};
  ManualClock clock;
  const auto service = kind.make(clock);
  const Duration unit = std::max<Duration>(10ms, 2 * service->max_lateness());
  constexpr int kPrimes[] = {2, 3, 5, 7, 11, 13, 17, 19, 23};
  std::vector<std::atomic<int>> runs(24);
  for (const int prime : kPrimes) {
    service->repeat(Repeats::at_a_rate, prime * unit, prime * unit,
                    [&runs, prime] { ++runs[static_cast<std::size_t>(prime)]; });
  }
  clock.run_for(500 * unit + service->max_lateness());
  for (const int prime : kPrimes) {
    EXPECT_EQ(runs[static_cast<std::size_t>(prime)], 500 / prime) << prime;
  }
  EXPECT_EQ(service->pending(), std::size(kPrimes));
});

// A-107, D-68: timers that are scheduled after it must not be forgotten with it.
const Sentence itself("EndsWithTheRunThatCancelsIt", [](const ServiceKind& kind) {
  for_each_way(kind, [](Repeating& timer) {
    const Duration period = timer.period();
    std::vector<CancelResult> results;
    timer.start(period, period, [&] {
      if (timer.runs() < 3) return;
      results.push_back(timer.cancel());
      results.push_back(timer.cancel());
    });
    timer.pass(10 * period);
    EXPECT_EQ(timer.runs(), 3u);
    EXPECT_EQ(results, (std::vector{CancelResult::running, CancelResult::running}));
    EXPECT_EQ(timer.cancel(), CancelResult::gone);
    EXPECT_EQ(timer.service().pending(), 0u);
    EXPECT_EQ(timer.destroyed(), 1);
    std::atomic<bool> has_run = false;
    timer.schedule(period, [&] { has_run = true; });
    timer.pass(period);
    EXPECT_TRUE(has_run);
  });
});

//
const Sentence last_words("EndsWithTheRunThatCancelsItAndThrows", [](const ServiceKind& kind) {
  for_each_way(kind, [](Repeating& timer) {
    const Duration period = timer.period();
    timer.start(period, period, [&] {
      timer.cancel();
      throw std::runtime_error("thrown by the last run");
    });
    timer.pass(10 * period);
    EXPECT_EQ(timer.runs(), 1u);
    EXPECT_EQ(timer.destroyed(), 1);
    EXPECT_EQ(timer.cancel(), CancelResult::gone);
    EXPECT_EQ(timer.service().pending(), 0u);
  });
});

//
const Sentence between("IsCancelledBetweenTwoRuns", [](const ServiceKind& kind) {
  for_each_way(kind, [](Repeating& timer) {
    const Duration period = timer.period();
    timer.start(period, period);
    timer.pass(3 * period);
    const std::size_t runs = timer.runs();
    EXPECT_GE(runs, 2u);
    EXPECT_EQ(timer.cancel(), CancelResult::cancelled);
    EXPECT_EQ(timer.destroyed(), 1);
    EXPECT_EQ(timer.cancel(), CancelResult::gone);
    EXPECT_EQ(timer.service().pending(), 0u);
    timer.run_for(10 * period);
    EXPECT_EQ(timer.runs(), runs);
  });
});

const Sentence before_it_runs("IsCancelledBeforeItsFirstRun", [](const ServiceKind& kind) {
  for_each_way(kind, [](Repeating& timer) {
    const Duration period = timer.period();
    timer.start(period, period);
    EXPECT_EQ(timer.cancel(), CancelResult::cancelled);
    EXPECT_EQ(timer.destroyed(), 1);
    timer.run_for(10 * period);
    EXPECT_EQ(timer.runs(), 0u);
  });
});

// D-30
const Sentence during("EndsWithTheRunInWhichAnotherThreadCancelsIt", [](const ServiceKind& kind) {
  for_each_way(kind, [](Repeating& timer) {
    const Duration period = timer.period();
    timer.start(period, period, [&] { timer.sleep_for(period / 2); });
    timer.pass(period);
    ASSERT_EQ(timer.runs(), 1u);
    EXPECT_EQ(timer.ends().size(), 0u);
    EXPECT_EQ(timer.service().pending(), 0u);
    EXPECT_EQ(timer.cancel(), CancelResult::running);
    EXPECT_EQ(timer.destroyed(), 0);
    timer.run_for(10 * period);
    EXPECT_EQ(timer.runs(), 1u);
    EXPECT_EQ(timer.destroyed(), 1);
    EXPECT_EQ(timer.cancel(), CancelResult::gone);
  });
});

// A-111, C-06
const Sentence overlap("NeverOverlapsItself", [](const ServiceKind& kind) {
  for_each_way(kind, [](Repeating& timer) {
    const Duration period = timer.period();
    timer.start(Duration::zero(), period, [&] { timer.sleep_for(2 * period + period / 2); });
    timer.run_for(20 * period);
    EXPECT_GE(timer.runs(), 4u);
    EXPECT_FALSE(timer.overlapped());
  });
});

const Sentence with_others("RunsNoOtherTaskDuringARunIfItIsSerial", [](const ServiceKind& kind) {
  if (!kind.promises.serial) throw Skip{"it runs several tasks at once"};
  for_each_way(kind, [](Repeating& timer) {
    constexpr int kOthers = 40;
    const Duration period = timer.period();
    std::atomic<int> others = 0;
    std::atomic<bool> is_other_running = false;
    std::atomic<bool> overlapped = false;
    timer.start(period, period, [&] {
      timer.sleep_for(period / 4);
      if (is_other_running) overlapped = true;
    });
    for (int i = 1; i <= kOthers; ++i) {
      timer.schedule(i * period / 4, [&] {
        is_other_running = true;
        if (timer.runs() != timer.ends().size()) overlapped = true;
        timer.sleep_for(period / 8);
        if (timer.runs() != timer.ends().size()) overlapped = true;
        is_other_running = false;
        ++others;
      });
    }
    timer.run_for(20 * period);
    timer.cancel();
    timer.run_for(period);  // a run reads the variables of this test to its end
    EXPECT_GE(timer.runs(), 10u);
    EXPECT_EQ(others, kOthers);
    EXPECT_FALSE(overlapped);
  });
});

// C-32
const Sentence lets_in("RunsOthersThoughARepeatingTaskIsLateForEver", [](const ServiceKind& kind) {
  for_each_way(kind, [](Repeating& timer) {
    const Duration period = timer.period();
    std::atomic<bool> has_run = false;
    timer.start(period, period, [&] { timer.sleep_for(2 * period); });
    timer.schedule(3 * period, [&] { has_run = true; });
    timer.run_for(40 * period);
    EXPECT_TRUE(has_run);
    timer.cancel();
    timer.run_for(3 * period);  // `has_run` must outlive the other task
  });
});

// B-N-26, C-21
const Sentence stops_it("RefusesToBeStoppedByARunAndGoesOn", [](const ServiceKind& kind) {
  for_each_way(kind, [](Repeating& timer) {
    const Duration period = timer.period();
    timer.start(period, period, [&] { EXPECT_THROW(timer.service().stop(), std::logic_error); });
    timer.pass(4 * period);
    EXPECT_GE(timer.runs(), 3u);
  });
});

/// Has a timer that repeats cancelled, by its own run or after it. Expects that its task dies, and
/// that the service has no lock then.
void expect_to_die_without_a_lock(Repeating& timer, bool by_its_run) {
  std::atomic<int> calls = 0;
  std::shared_ptr<int> calls_in(nullptr, [&](int*) {
    std::thread other([&] {
      AnyService& service = timer.service();
      EXPECT_EQ(service.cancel(service.schedule(1h, [] {})), CancelResult::cancelled);
      EXPECT_LE(service.pending(), 1u);
    });
    other.join();
    ++calls;
  });
  const Duration period = timer.period();
  timer.start(period, period, [&timer, by_its_run, held = std::move(calls_in)] {
    if (by_its_run) timer.cancel();
  });
  timer.pass(period);
  if (!by_its_run) {
    EXPECT_EQ(timer.cancel(), CancelResult::cancelled);
  }
  EXPECT_EQ(calls, 1);
  EXPECT_EQ(timer.service().pending(), 0u);
}

// A-71, C-17
const Sentence dies("DestroysARepeatingTaskWithoutALock", [](const ServiceKind& kind) {
  for (const bool by_its_run : {false, true}) {
    SCOPED_TRACE(by_its_run ? "cancelled by its run" : "cancelled between two runs");
    for_each_way(kind, [&](Repeating& timer) { expect_to_die_without_a_lock(timer, by_its_run); });
  }
});

// C-22
const Sentence stopped_during("EndsWithTheRunDuringWhichItIsStopped", [](const ServiceKind& kind) {
  for_each_way(kind, [](Repeating& timer) {
    const Duration period = timer.period();
    timer.start(period, period, [&] { timer.sleep_for(3 * period); });
    timer.pass(period);
    ASSERT_EQ(timer.runs(), 1u);
    ASSERT_EQ(timer.ends().size(), 0u);
    std::vector<TimerTask> returned;
    ManualClock::Thread stopper(timer.clock(), [&] { returned = timer.service().stop(); });
    timer.run_for(20 * period);
    stopper.join();
    EXPECT_EQ(timer.runs(), 1u);
    EXPECT_EQ(timer.ends().size(), 1u);
    EXPECT_LE(returned.size(), 1u);
    EXPECT_NE(timer.cancel(), CancelResult::cancelled);
    returned.clear();
    EXPECT_EQ(timer.destroyed(), 1);
  });
});

//
const Sentence returned("ReturnsARepeatingTaskWhenItIsStopped", [](const ServiceKind& kind) {
  for_each_way(kind, [](Repeating& timer) {
    const Duration period = timer.period();
    timer.start(period, period);
    timer.pass(2 * period);
    const std::size_t runs = timer.runs();
    EXPECT_EQ(timer.service().pending(), 1u);
    {
      const std::vector<TimerTask> tasks = timer.service().stop();
      EXPECT_EQ(tasks.size(), 1u);
      EXPECT_EQ(timer.destroyed(), 0);
    }
    EXPECT_EQ(timer.destroyed(), 1);
    EXPECT_NE(timer.cancel(), CancelResult::cancelled);
    timer.run_for(10 * period);
    EXPECT_EQ(timer.runs(), runs);
    EXPECT_THROW(timer.start(period, period), RejectedTask);
  });
});

//
const Sentence throws("DoesAfterARunThatThrowsWhatItPromises", [](const ServiceKind& kind) {
  for_each_way(kind, [&](Repeating& timer) {
    const Duration period = timer.period();
    timer.start(period, period, [&] {
      if (timer.runs() == 2) throw std::runtime_error("thrown by a run, to see what follows");
    });
    timer.pass(6 * period + 6 * timer.lateness());
    if (timer.promises().repeats_after_error) {
      EXPECT_GE(timer.runs(), 5u);
      if (kind.tells_errors) {
        EXPECT_EQ(timer.errors(), 1) << "errors that the handler got";
      }
    } else {
      EXPECT_EQ(timer.runs(), 2u);
      EXPECT_EQ(timer.destroyed(), 1);
      EXPECT_EQ(timer.cancel(), CancelResult::gone);
    }
    std::atomic<bool> has_run = false;
    timer.schedule(period, [&] { has_run = true; });
    timer.pass(period);
    EXPECT_TRUE(has_run);
  });
});

const Sentence no_task("RefusesARepeatingTaskThatIsNotThere", [](const ServiceKind& kind) {
  for_each_way(kind, [](Repeating& timer) {
    const Duration period = timer.period();
    EXPECT_THROW(timer.start_no_task(period, period), std::invalid_argument);
    EXPECT_EQ(timer.service().pending(), 0u);
    timer.start(period, period);
    timer.pass(period);
    EXPECT_EQ(timer.runs(), 1u);
  });
});

//
const Sentence negative("TakesANegativeFirstDelayForNone", [](const ServiceKind& kind) {
  for_each_way(kind, [](Repeating& timer) {
    const Duration period = timer.period();
    for (const Duration first : {Duration(-1ns), Duration(-1h), Duration::min()}) {
      SCOPED_TRACE(first.count());
      const std::size_t runs = timer.runs();
      if (timer.promises().refuses_negative_delays) {
        EXPECT_THROW(timer.start(first, period), std::invalid_argument);
      } else {
        const Duration start = timer.now();
        timer.start(first, period);
        timer.pass(0ns);
        timer.expect_start(runs, start);
        ASSERT_EQ(timer.runs(), runs + 1) << "it owes no run for the time before";
        EXPECT_EQ(timer.cancel(), CancelResult::cancelled);
      }
      EXPECT_EQ(timer.service().pending(), 0u);
    }
  });
});

//
const Sentence never("NeverBeginsIfItsFirstDelayHasNoEnd", [](const ServiceKind& kind) {
  for_each_way(kind, [](Repeating& timer) {
    const Duration period = timer.period();
    if (timer.promises().refuses_endless_delays) {
      EXPECT_THROW(timer.start(Duration::max(), period), std::invalid_argument);
      EXPECT_EQ(timer.service().pending(), 0u);
      return;
    }
    timer.jump(1s);
    timer.start(Duration::max(), period);
    std::atomic<bool> has_run = false;
    timer.schedule(period, [&] { has_run = true; });
    timer.pass(10 * period);
    EXPECT_TRUE(has_run);
    EXPECT_EQ(timer.runs(), 0u);
    EXPECT_EQ(timer.service().pending(), 1u);
    EXPECT_EQ(timer.cancel(), CancelResult::cancelled);
  });
});

//
const Sentence no_period("RefusesAPeriodInWhichNoTimePasses", [](const ServiceKind& kind) {
  for_each_way(kind, [](Repeating& timer) {
    EXPECT_THROW(timer.start(1s, 0ns), std::invalid_argument);
    EXPECT_THROW(timer.start(1s, -1s), std::invalid_argument);
    EXPECT_EQ(timer.destroyed(), 2);
    EXPECT_EQ(timer.service().pending(), 0u);
    timer.run_for(10s);
    EXPECT_EQ(timer.runs(), 0u);
  });
});

//
const Sentence endless("RunsOnceIfItsPeriodHasNoEnd", [](const ServiceKind& kind) {
  for_each_way(kind, [](Repeating& timer) {
    const Duration first = timer.period();
    timer.start(first, Duration::max());
    std::atomic<bool> has_run = false;
    timer.schedule(2 * first, [&] { has_run = true; });
    timer.pass(2 * first);
    EXPECT_EQ(timer.runs(), 1u);
    EXPECT_TRUE(has_run);
    if (wakes_for_each_tick(timer.promises())) return;
    timer.jump(24h * 365);
    EXPECT_EQ(timer.runs(), 1u);
  });
});

}  // namespace
}  // namespace timers::service_conformance::about_periods
