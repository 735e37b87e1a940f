/// Periods on top of any service: when runs take place, which runs of a late timer are made up for,
/// and what may be changed during a run.

#include "impls/services/parts/periodic.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "impls/clocks/clock.hpp"
#include "impls/queues/hierarchical_wheel.hpp"
#include "impls/services/heap_timer.hpp"
#include "impls/services/queue_timer.hpp"
#include "impls/services/scheduled_thread_pool.hpp"
#include "impls/services/simple_wheel_timer.hpp"
#include "tests/services/attempt.hpp"
#include "tests/services/run_log.hpp"

namespace timers {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using testing::ThrowsMessage;

constexpr Instant at(Duration time) { return Instant(time); }

/// Periods on top of a service that is exact, and when they ran.
class APeriodicTimer : public testing::Test {
 protected:
  using Service = HeapTimer<ManualClock>;

  /// Records when it runs, and then calls `what`.
  TimerTask body(std::function<void()> what = {}) {
    return [this, what = std::move(what)] {
      runs_.push_back(clock_.now().time_since_epoch());
      if (what) what();
    };
  }

  ManualClock clock_;
  std::vector<Duration> runs_;
  std::vector<std::string> errors_;
  Service service_{clock_, {.on_error = [this](const std::exception_ptr& error) {
                     try {
                       std::rethrow_exception(error);
                     } catch (const std::exception& exception) {
                       errors_.emplace_back(exception.what());
                     }
                   }}};
  Periodic<Service, ManualClock> periodic_{service_, clock_};
};

//
TEST_F(APeriodicTimer, DoesNotDriftFromItsRate) {
  periodic_.schedule(10ns, {10ns, CountsFrom::plan}, body());
  for (int i = 0; i < 1000; ++i) clock_.advance_by(1ns);
  ASSERT_THAT(runs_, SizeIs(100));
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(runs_[static_cast<std::size_t>(i)], Duration(10 * (i + 1)));
  }
}

//
TEST_F(APeriodicTimer, MakesUpForAllMissedRunsInABurst) {
  const auto timer = periodic_.schedule(10ns, {10ns, CountsFrom::plan}, body(), CatchUp::burst);
  clock_.advance_to(at(55ns));
  EXPECT_THAT(runs_, ElementsAre(55ns, 55ns, 55ns, 55ns, 55ns));
  EXPECT_EQ(periodic_.next_run(timer), at(60ns));
  clock_.run_until(at(70ns));
  EXPECT_THAT(runs_, ElementsAre(55ns, 55ns, 55ns, 55ns, 55ns, 60ns, 70ns));
}

//
TEST_F(APeriodicTimer, LetsOneRunStandForAllThatWereMissed) {
  std::vector<std::uint64_t> missed;
  std::vector<Instant> planned;
  const auto timer =
      periodic_.schedule(10ns, {10ns, CountsFrom::plan}, [&](const PeriodicRun& run) {
        missed.push_back(run.missed);
        planned.push_back(run.planned);
      });
  clock_.advance_to(at(55ns));
  EXPECT_THAT(missed, ElementsAre(4u));
  EXPECT_EQ(periodic_.next_run(timer), at(60ns));
  clock_.run_until(at(70ns));
  EXPECT_THAT(missed, ElementsAre(4u, 0u, 0u));
  EXPECT_THAT(planned, ElementsAre(at(50ns), at(60ns), at(70ns)));
}

TEST_F(APeriodicTimer, TellsEachRunOfABurstWhenItWasPlanned) {
  std::vector<Instant> planned;
  periodic_.schedule(
      10ns, {10ns, CountsFrom::plan},
      [&](const PeriodicRun& run) {
        planned.push_back(run.planned);
        EXPECT_EQ(run.missed, 0u);
      },
      CatchUp::burst);
  clock_.advance_to(at(35ns));
  EXPECT_THAT(planned, ElementsAre(at(10ns), at(20ns), at(30ns)));
}

// D-52
TEST_F(APeriodicTimer, RunsOnceAfterAPauseOfTwoPeriods) {
  periodic_.schedule(10ns, {10ns, CountsFrom::plan}, body());
  clock_.advance_to(at(20ns));
  EXPECT_THAT(runs_, ElementsAre(20ns));
}

// D-73, D-81
TEST_F(APeriodicTimer, HasAPolicyForTwoDaysOfSleep) {
  std::uint64_t in_bursts = 0;
  std::uint64_t coalesced = 0;
  std::uint64_t missed = 0;
  periodic_.schedule(
      1s, {1s, CountsFrom::plan}, [&] { ++in_bursts; }, CatchUp::burst);
  periodic_.schedule(1s, {1s, CountsFrom::plan}, [&](const PeriodicRun& run) {
    ++coalesced;
    missed += run.missed;
  });
  clock_.advance_by(172'800s);
  EXPECT_EQ(in_bursts, 172'800u);
  EXPECT_EQ(coalesced, 1u);
  EXPECT_EQ(missed, 172'799u);
}

//
TEST_F(APeriodicTimer, CountsAFixedDelayFromTheEndOrTheStart) {
  std::map<CountsFrom, std::vector<Duration>> starts;
  for (const CountsFrom from : {CountsFrom::end, CountsFrom::start, CountsFrom::plan}) {
    ManualClock clock;
    HeapTimer service(clock);
    Periodic periodic(service, clock);
    const auto timer = periodic.schedule(0s, {100ns, from}, [&] {
      starts[from].push_back(clock.now().time_since_epoch());
      clock.sleep_for(60ns);
    });
    clock.run_until(at(379ns));
    periodic.cancel(timer);
    clock.run_for(60ns);  // so that no run is in progress
  }
  EXPECT_THAT(starts[CountsFrom::end], ElementsAre(0ns, 160ns, 320ns));
  EXPECT_THAT(starts[CountsFrom::start], ElementsAre(0ns, 100ns, 200ns, 300ns));
  EXPECT_THAT(starts[CountsFrom::plan], ElementsAre(0ns, 100ns, 200ns, 300ns));
}

//
TEST_F(APeriodicTimer, NeverMakesUpForFixedDelays) {
  std::vector<std::uint64_t> missed;
  const auto note = [&](const PeriodicRun& run) { missed.push_back(run.missed); };
  periodic_.schedule(10ns, {10ns, CountsFrom::start}, note, CatchUp::burst);
  periodic_.schedule(10ns, {10ns, CountsFrom::end}, note);
  clock_.advance_to(at(55ns));
  EXPECT_THAT(missed, ElementsAre(0u, 0u));
  clock_.run_until(at(64ns));
  EXPECT_THAT(missed, SizeIs(2));
  clock_.run_until(at(65ns));
  EXPECT_THAT(missed, SizeIs(4));
}

TEST_F(APeriodicTimer, ComesBackAtOnceIfItsBodyTakesLongerThanAPeriod) {
  const auto timer =
      periodic_.schedule(10ns, {10ns, CountsFrom::plan}, body([&] { clock_.sleep_for(25ns); }));
  clock_.run_until(at(100ns));
  EXPECT_THAT(runs_, ElementsAre(10ns, 35ns, 60ns, 85ns));
  periodic_.cancel(timer);
  clock_.run_for(25ns);
}

// A burst has only the runs that were due when it began. Other tasks run between two bursts.
TEST_F(APeriodicTimer, LetsOthersInThoughItIsLateForEver) {
  std::vector<Duration> others;
  const auto timer = periodic_.schedule(10ns, {10ns, CountsFrom::plan},
                                        body([&] { clock_.sleep_for(25ns); }), CatchUp::burst);
  service_.schedule(30ns, [&] { others.push_back(clock_.now().time_since_epoch()); });
  clock_.run_until(at(100ns));
  EXPECT_THAT(others, ElementsAre(35ns));
  periodic_.cancel(timer);
  clock_.run_for(1s);
}

// A-106, D-71
TEST_F(APeriodicTimer, KeepsManyPeriodsApart) {
  constexpr int kPrimes[] = {2,  3,  5,  7,  11, 13, 17, 19, 23, 29, 31, 37, 41,
                             43, 47, 53, 59, 61, 67, 71, 73, 79, 83, 89, 97};
  for (const int step : {1, 16}) {
    ManualClock clock(at(50ns));
    HeapTimer service(clock);
    Periodic periodic(service, clock);
    std::map<int, int> runs;
    std::map<int, decltype(periodic)::Handle> timers;
    for (const int prime : kPrimes) {
      timers[prime] = periodic.schedule(
          Duration(prime), {Duration(prime), CountsFrom::plan}, [&runs, prime] { ++runs[prime]; },
          CatchUp::burst);
    }
    while (clock.now() < at(5322ns)) {
      clock.advance_to(std::min(clock.now() + Duration(step), at(5322ns)));
      for (const auto& [prime, timer] : timers) {
        const auto next = periodic.next_run(timer);
        ASSERT_GT(next, clock.now());
        ASSERT_LE(next, clock.now() + Duration(prime));
      }
    }
    for (const int prime : kPrimes) EXPECT_EQ(runs[prime], 5272 / prime) << prime;
  }
}

//
TEST_F(APeriodicTimer, EndsWhenItsOwnRunCancelsIt) {
  decltype(periodic_)::Handle timer;
  std::vector<CancelResult> results;
  const auto cancel_in_third = [&] {
    if (runs_.size() < 3) return;
    results.push_back(periodic_.cancel(timer));
    results.push_back(periodic_.cancel(timer));
  };
  timer = periodic_.schedule(10ns, {10ns, CountsFrom::plan}, body(cancel_in_third));
  clock_.run_until(at(1s));
  EXPECT_THAT(runs_, ElementsAre(10ns, 20ns, 30ns));
  EXPECT_THAT(results, ElementsAre(CancelResult::running, CancelResult::running));
  EXPECT_EQ(periodic_.cancel(timer), CancelResult::gone);
  EXPECT_EQ(service_.pending(), 0u);
}

TEST_F(APeriodicTimer, EndsInTheMiddleOfABurst) {
  decltype(periodic_)::Handle timer;
  timer = periodic_.schedule(10ns, {10ns, CountsFrom::plan}, body([&] {
                               if (runs_.size() == 2) periodic_.cancel(timer);
                             }),
                             CatchUp::burst);
  clock_.advance_to(at(1us));
  EXPECT_THAT(runs_, SizeIs(2));
}

// D-30
TEST_F(APeriodicTimer, EndsWithTheRunInWhichAnotherThreadCancelsIt) {
  const auto timer =
      periodic_.schedule(10ns, {10ns, CountsFrom::plan}, body([&] { clock_.sleep_for(5ns); }));
  clock_.run_until(at(22ns));
  EXPECT_EQ(periodic_.cancel(timer), CancelResult::running);
  EXPECT_EQ(periodic_.next_run(timer), std::nullopt);
  clock_.run_until(at(1s));
  EXPECT_THAT(runs_, ElementsAre(10ns, 20ns));
  EXPECT_EQ(periodic_.cancel(timer), CancelResult::gone);
}

//
TEST_F(APeriodicTimer, IsCancelledBetweenTwoRuns) {
  auto held = std::make_shared<int>();
  const auto timer = periodic_.schedule(10ns, {10ns, CountsFrom::plan}, body([held] { ++*held; }));
  clock_.run_until(at(25ns));
  EXPECT_EQ(*held, 2);
  EXPECT_EQ(service_.pending(), 1u);
  EXPECT_EQ(periodic_.cancel(timer), CancelResult::cancelled);
  EXPECT_EQ(held.use_count(), 1);
  EXPECT_EQ(service_.pending(), 0u);
  EXPECT_EQ(periodic_.cancel(timer), CancelResult::gone);
  clock_.run_until(at(1s));
  EXPECT_THAT(runs_, ElementsAre(10ns, 20ns));
}

// D-68
TEST_F(APeriodicTimer, LeavesTheServiceAwakeWhenItsOwnRunCancelsIt) {
  decltype(periodic_)::Handle timer;
  timer = periodic_.schedule(5ns, {5ns, CountsFrom::plan}, body([&] { periodic_.cancel(timer); }));
  clock_.run_until(at(100ns));
  EXPECT_THAT(runs_, ElementsAre(5ns));
  service_.schedule(10ns, body());
  clock_.run_until(at(1s));
  EXPECT_THAT(runs_, ElementsAre(5ns, 110ns));
}

//
TEST_F(APeriodicTimer, RefusesAPeriodInWhichNoTimePasses) {
  EXPECT_THAT(Attempt([&] {
                periodic_.schedule(1s, {0ns, CountsFrom::plan}, body());
              }),
              ThrowsMessage<std::invalid_argument>(HasSubstr("at least 1 ns, and is 0 ns")));
  EXPECT_THROW(periodic_.schedule(1s, {-42ns, CountsFrom::end}, body()), std::invalid_argument);
  const auto timer = periodic_.schedule(1s, {1s, CountsFrom::plan}, body());
  EXPECT_THROW(periodic_.set_period(timer, 0ns), std::invalid_argument);
  EXPECT_EQ(service_.pending(), 1u);
  clock_.run_until(at(2s));
  EXPECT_THAT(runs_, ElementsAre(1s, 2s));
}

TEST_F(APeriodicTimer, RefusesToHaveNoBody) {
  void (*nothing)(const PeriodicRun&) = nullptr;
  EXPECT_THROW(periodic_.schedule(1s, {1s, CountsFrom::plan}, nothing), std::invalid_argument);
  EXPECT_THROW(periodic_.schedule(1s, {1s, CountsFrom::plan}, TimerTask()), std::invalid_argument);
  EXPECT_EQ(service_.pending(), 0u);
}

TEST_F(APeriodicTimer, TakesANegativeFirstDelayForNone) {
  periodic_.schedule(-35ns, {10ns, CountsFrom::plan}, body(), CatchUp::burst);
  clock_.run_until(at(10ns));
  EXPECT_THAT(runs_, ElementsAre(0ns, 10ns));
}

//
TEST_F(APeriodicTimer, RunsOnceIfItsPeriodHasNoEnd) {
  for (const CountsFrom from : {CountsFrom::plan, CountsFrom::start, CountsFrom::end}) {
    const auto timer = periodic_.schedule(10ns, {Duration::max(), from}, body());
    service_.schedule(20ns, body());
    const Instant start = clock_.now();
    clock_.run_until(start + 1h);
    EXPECT_THAT(runs_,
                ElementsAre(start.time_since_epoch() + 10ns, start.time_since_epoch() + 20ns));
    EXPECT_EQ(service_.pending(), 1u);
    EXPECT_EQ(periodic_.cancel(timer), CancelResult::cancelled);
    runs_.clear();
  }
  EXPECT_THAT(errors_, IsEmpty());
}

// A-09, D-73
TEST_F(APeriodicTimer, NeverRunsIfItsFirstDelayHasNoEnd) {
  const auto timer = periodic_.schedule(Duration::max(), {1ns, CountsFrom::plan}, body());
  clock_.run_until(at(Duration(std::int64_t{1} << 62)));
  EXPECT_THAT(runs_, IsEmpty());
  EXPECT_EQ(periodic_.cancel(timer), CancelResult::cancelled);
}

//
TEST_F(APeriodicTimer, IsNotEarlyInTheLastHourOfTime) {
  clock_.advance_to(Instant::max() - 2h);
  decltype(periodic_)::Handle timer;
  const auto twice = [&] {
    if (runs_.size() == 2) periodic_.cancel(timer);
  };
  timer = periodic_.schedule(90min, {10min, CountsFrom::plan}, body(twice));
  clock_.run_until(Instant::max());
  EXPECT_THAT(runs_, ElementsAre(Duration::max() - 30min, Duration::max() - 20min));
}

//
TEST_F(APeriodicTimer, NeverRunsAtTheLastInstant) {
  clock_.advance_to(Instant::max() - 2h);
  std::vector<decltype(periodic_)::Handle> timers;
  const auto once = [&] {
    if (runs_.size() < 2) return;
    for (const auto& timer : timers) periodic_.cancel(timer);
  };
  for (const Duration first : {Duration(1h), Duration::max()}) {
    timers.push_back(periodic_.schedule(first, {Duration::max(), CountsFrom::plan}, body(once)));
  }
  clock_.run_until(Instant::max());
  EXPECT_THAT(runs_, ElementsAre(Duration::max() - 1h));
  EXPECT_EQ(service_.pending(), 0u);
  EXPECT_THAT(errors_, IsEmpty());
}

//
TEST_F(APeriodicTimer, TakesAChangeOfPeriodFromItsBodyAtOnce) {
  decltype(periodic_)::Handle timer;
  timer = periodic_.schedule(10ns, {10ns, CountsFrom::plan}, body([&] {
                               if (runs_.size() == 2) {
                                 EXPECT_TRUE(periodic_.set_period(timer, 25ns));
                               }
                             }));
  clock_.run_until(at(75ns));
  EXPECT_THAT(runs_, ElementsAre(10ns, 20ns, 45ns, 70ns));
}

//
TEST_F(APeriodicTimer, TakesAChangeOfPeriodBetweenRunsAfterTheNext) {
  const auto timer = periodic_.schedule(10ns, {10ns, CountsFrom::plan}, body());
  clock_.run_until(at(15ns));
  EXPECT_TRUE(periodic_.set_period(timer, 50ns));
  EXPECT_EQ(periodic_.next_run(timer), at(20ns));
  clock_.run_until(at(130ns));
  EXPECT_THAT(runs_, ElementsAre(10ns, 20ns, 70ns, 120ns));
}

//
TEST_F(APeriodicTimer, DoesNotRunAsLongAsItIsRestarted) {
  const auto timer = periodic_.schedule(100ns, {100ns, CountsFrom::plan}, body());
  for (int i = 0; i < 20; ++i) {
    clock_.run_for(50ns);
    EXPECT_TRUE(periodic_.restart(timer));
    EXPECT_EQ(service_.pending(), 1u);
  }
  EXPECT_THAT(runs_, IsEmpty());
  clock_.run_for(250ns);
  EXPECT_THAT(runs_, ElementsAre(1100ns, 1200ns));
}

//
TEST_F(APeriodicTimer, CountsFromTheRestartThatItsBodyMakes) {
  decltype(periodic_)::Handle timer;
  timer = periodic_.schedule(10ns, {100ns, CountsFrom::plan}, body([&] {
                               clock_.sleep_for(20ns);
                               if (runs_.size() == 1) {
                                 EXPECT_TRUE(periodic_.restart(timer));
                                 clock_.sleep_for(30ns);
                               }
                             }));
  clock_.run_until(at(300ns));
  EXPECT_THAT(runs_, ElementsAre(10ns, 130ns, 230ns));
}

TEST_F(APeriodicTimer, CountsFromARestartDuringItsRun) {
  const auto timer =
      periodic_.schedule(10ns, {100ns, CountsFrom::plan}, body([&] { clock_.sleep_for(20ns); }));
  clock_.run_until(at(15ns));
  EXPECT_TRUE(periodic_.restart(timer));
  EXPECT_THAT(runs_, SizeIs(1)) << "a second run began while the first was going on";
  clock_.run_until(at(220ns));
  EXPECT_THAT(runs_, ElementsAre(10ns, 115ns, 215ns));
  clock_.run_for(50ns);  // so that no run is in progress
}

TEST_F(APeriodicTimer, RestartsWithTheLatestPeriod) {
  const auto timer = periodic_.schedule(1h, {1h, CountsFrom::plan}, body());
  periodic_.set_period(timer, 10ns);
  EXPECT_TRUE(periodic_.restart(timer));
  EXPECT_EQ(periodic_.next_run(timer), at(10ns));
  clock_.run_until(at(25ns));
  EXPECT_THAT(runs_, ElementsAre(10ns, 20ns));
}

TEST_F(APeriodicTimer, CannotBeRestartedOrChangedWhenItIsOver) {
  const auto timer = periodic_.schedule(10ns, {10ns, CountsFrom::plan}, body());
  periodic_.cancel(timer);
  EXPECT_FALSE(periodic_.restart(timer));
  EXPECT_FALSE(periodic_.set_period(timer, 1s));
  EXPECT_EQ(periodic_.next_run(timer), std::nullopt);
  clock_.run_until(at(1s));
  EXPECT_THAT(runs_, IsEmpty());
}

TEST_F(APeriodicTimer, IsNoneByDefault) {
  const decltype(periodic_)::Handle none;
  EXPECT_EQ(periodic_.cancel(none), CancelResult::gone);
  EXPECT_FALSE(periodic_.restart(none));
  EXPECT_FALSE(periodic_.set_period(none, 1s));
  EXPECT_EQ(periodic_.next_run(none), std::nullopt);
}

//
TEST_F(APeriodicTimer, GoesOnAfterARunThatThrew) {
  periodic_.schedule(10ns, {10ns, CountsFrom::plan}, body([&] {
                       if (runs_.size() == 2) throw std::runtime_error("the second");
                     }));
  clock_.run_until(at(40ns));
  EXPECT_THAT(runs_, ElementsAre(10ns, 20ns, 30ns, 40ns));
  EXPECT_THAT(errors_, ElementsAre("the second"));
}

TEST_F(APeriodicTimer, MakesUpForAllThoughEachRunThrows) {
  periodic_.schedule(10ns, {10ns, CountsFrom::plan},
                     body([] { throw std::runtime_error("again"); }), CatchUp::burst);
  clock_.advance_to(at(55ns));
  EXPECT_THAT(runs_, ElementsAre(55ns, 55ns, 55ns, 55ns, 55ns));
  EXPECT_THAT(errors_, SizeIs(5));
  clock_.run_until(at(60ns));
  EXPECT_THAT(runs_, SizeIs(6));
}

TEST_F(APeriodicTimer, ThrowsInItsLastRunToo) {
  decltype(periodic_)::Handle timer;
  timer = periodic_.schedule(10ns, {10ns, CountsFrom::plan}, body([&] {
                               periodic_.cancel(timer);
                               throw std::runtime_error("the last");
                             }));
  clock_.run_until(at(1s));
  EXPECT_THAT(runs_, SizeIs(1));
  EXPECT_THAT(errors_, ElementsAre("the last"));
}

TEST_F(APeriodicTimer, IsOverWhenTheServiceIsStopped) {
  auto held = std::make_shared<int>();
  const auto timer = periodic_.schedule(10ns, {10ns, CountsFrom::plan}, body([held] { ++*held; }));
  clock_.run_until(at(15ns));
  {
    std::vector<TimerTask> never_ran = service_.stop();
    EXPECT_THAT(never_ran, SizeIs(1));
    EXPECT_EQ(periodic_.next_run(timer), at(20ns));
  }
  EXPECT_EQ(periodic_.next_run(timer), std::nullopt);
  EXPECT_EQ(held.use_count(), 1) << "the handle kept the body";
  EXPECT_EQ(periodic_.cancel(timer), CancelResult::gone);
  EXPECT_THAT(runs_, ElementsAre(10ns));
  EXPECT_THAT(errors_, IsEmpty());
}

TEST_F(APeriodicTimer, DoesNotRunWhenItWasCancelledAfterAStopThatReturnedIt) {
  const auto timer = periodic_.schedule(10ns, {10ns, CountsFrom::plan}, body());
  std::vector<TimerTask> never_ran = service_.stop();
  EXPECT_EQ(periodic_.cancel(timer), CancelResult::cancelled);
  ASSERT_THAT(never_ran, SizeIs(1));
  never_ran[0]();
  EXPECT_THAT(runs_, IsEmpty());
}

TEST_F(APeriodicTimer, TellsTheHandlerOfErrorsWhenTheServiceTakesNoMore) {
  auto held = std::make_shared<int>();
  const auto timer = periodic_.schedule(10ns, {10ns, CountsFrom::plan},
                                        body([&, held] { clock_.sleep_for(5ns); }));
  clock_.run_until(at(12ns));
  ManualClock::Thread stopper(clock_, [&] { service_.stop(); });
  clock_.run_until(at(20ns));
  stopper.join();
  EXPECT_THAT(errors_, ElementsAre(HasSubstr("stopped")));
  EXPECT_EQ(periodic_.cancel(timer), CancelResult::gone);
  EXPECT_EQ(held.use_count(), 1);
  EXPECT_THAT(runs_, ElementsAre(10ns));
}

TEST_F(APeriodicTimer, MayHoldItsOwnHandle) {
  auto held = std::make_shared<int>();
  auto slot = std::make_unique<decltype(periodic_)::Handle>();
  auto& timer = *slot;
  timer = periodic_.schedule(10ns, {10ns, CountsFrom::plan}, [held, own = std::move(slot), this] {
    if (++*held == 3) periodic_.cancel(*own);
  });
  clock_.run_until(at(1s));
  EXPECT_EQ(*held, 3);
  EXPECT_EQ(held.use_count(), 1);
}

//
TEST_F(APeriodicTimer, MayBeCalledByTheDestructorOfItsBody) {
  decltype(periodic_)::Handle timer;
  std::vector<CancelResult> results;
  const auto asks = [&](int*) { results.push_back(periodic_.cancel(timer)); };
  timer = periodic_.schedule(10ns, {10ns, CountsFrom::plan},
                             [held = std::shared_ptr<int>(nullptr, asks)] {});
  clock_.run_until(at(15ns));
  EXPECT_EQ(periodic_.cancel(timer), CancelResult::cancelled);
  EXPECT_THAT(results, ElementsAre(CancelResult::gone));
}

TEST_F(APeriodicTimer, HandlesOutliveTheService) {
  auto held = std::make_shared<int>();
  Periodic<Service, ManualClock>::Handle timer;
  {
    Service service(clock_);
    Periodic periodic(service, clock_);
    timer = periodic.schedule(10ns, {10ns, CountsFrom::plan}, [held] {});
  }
  EXPECT_EQ(held.use_count(), 1);
}

// A-111, C-06
TEST(PeriodicOnAPool, NeverOverlapsItself) {
  ManualClock clock;
  ScheduledThreadPool pool(clock, {.threads = 4});
  Periodic periodic(pool, clock);
  std::atomic<int> inside = 0;
  int runs = 0;  // only the order of runs guards it
  std::vector<int> overlaps;
  for (const CatchUp catch_up : {CatchUp::burst, CatchUp::coalesce}) {
    const auto timer = periodic.schedule(
        10ns, {10ns, CountsFrom::plan},
        [&] {
          if (++inside != 1) overlaps.push_back(inside);
          ++runs;
          clock.sleep_for(35ns);
          --inside;
        },
        catch_up);
    clock.run_for(1us);
    periodic.cancel(timer);
    clock.run_for(1us);
  }
  EXPECT_GT(runs, 40);
  EXPECT_THAT(overlaps, IsEmpty());
}

// C-01
TEST(PeriodicOnAPool, RunsNoMoreAfterACancelThatMeetsARun) {
  constexpr int kRounds = 1000;
  ManualClock clock;
  ScheduledThreadPool pool(clock, {.threads = 2});
  Periodic periodic(pool, clock);
  int cancelled = 0;
  int ran = 0;
  for (int round = 0; round < kRounds; ++round) {
    std::atomic<int> runs = 0;
    const auto timer = periodic.schedule(10ns, {10ns, CountsFrom::plan}, [&] { ++runs; });
    CancelResult result = CancelResult::gone;
    int runs_at_cancel = 0;
    ManualClock::Thread canceller(clock, [&] {
      clock.sleep_for(20ns);  // with the second run
      result = periodic.cancel(timer);
      runs_at_cancel = runs;
    });
    clock.run_for(1us);
    canceller.join();
    if (result == CancelResult::cancelled) {
      ++cancelled;
      ASSERT_EQ(runs, runs_at_cancel);
    } else {
      ++ran;
      ASSERT_EQ(result, CancelResult::running);
      ASSERT_EQ(runs, 2);
    }
    ASSERT_EQ(pool.pending(), 0u);
  }
  EXPECT_EQ(cancelled + ran, kRounds);
}

TEST(PeriodicOnAPool, StaysOneTimerWhenRestartsMeetItsRuns) {
  constexpr int kRounds = 1000;
  ManualClock clock;
  ScheduledThreadPool pool(clock, {.threads = 2});
  Periodic periodic(pool, clock);
  for (int round = 0; round < kRounds; ++round) {
    std::atomic<int> runs = 0;
    const auto timer = periodic.schedule(10ns, {10ns, CountsFrom::plan}, [&] { ++runs; });
    const auto restart = [&] {
      clock.sleep_for(20ns);  // with the second run
      ASSERT_TRUE(periodic.restart(timer));
    };
    ManualClock::Thread one(clock, restart);
    ManualClock::Thread other(clock, restart);
    clock.run_for(25ns);
    one.join();
    other.join();
    ASSERT_EQ(pool.pending(), 1u);
    ASSERT_EQ(periodic.next_run(timer), clock.now() + 5ns);
    const int runs_before = runs;
    clock.run_for(10ns);
    ASSERT_EQ(runs, runs_before + 1);
    ASSERT_EQ(periodic.cancel(timer), CancelResult::cancelled);
  }
}

using SmallTimer = QueueTimer<HierarchicalWheel<TimerTask>, ManualClock>;

TEST(PeriodicOnAFullService, IsOverWhenItsPlaceIsTaken) {
  ManualClock clock;
  std::vector<std::string> errors;
  SmallTimer service(clock, {.max_pending = 1, .on_error = [&](const std::exception_ptr& error) {
                               try {
                                 std::rethrow_exception(error);
                               } catch (const RejectedTask& rejection) {
                                 errors.emplace_back(rejection.what());
                               }
                             }});
  Periodic periodic(service, clock);
  int runs = 0;
  const auto timer = periodic.schedule(1s, {1s, CountsFrom::plan}, [&] {
    if (++runs == 2) service.schedule(1h, [] {});
  });
  clock.run_for(10s);
  EXPECT_EQ(runs, 2);
  EXPECT_THAT(errors, SizeIs(1));
  EXPECT_EQ(periodic.next_run(timer), std::nullopt);
}

TEST(PeriodicOnAFullService, IsRestartedInItsOwnPlace) {
  ManualClock clock;
  SmallTimer service(clock, {.max_pending = 1});
  Periodic periodic(service, clock);
  int runs = 0;
  const auto timer = periodic.schedule(1s, {1s, CountsFrom::plan}, [&] { ++runs; });
  clock.run_for(500ms);
  EXPECT_TRUE(periodic.restart(timer));
  clock.run_for(999ms);
  EXPECT_EQ(runs, 0);
  clock.run_for(2ms);
  EXPECT_EQ(runs, 1);
  EXPECT_THROW(periodic.schedule(1s, {1s, CountsFrom::plan}, [] {}), RejectedTask);
}

TEST(PeriodicOnAWheel, CatchesUpAtEachTickWithARateThatIsFasterThanTicks) {
  ManualClock clock;
  RunLog log(clock);
  SimpleWheelTimer service(clock, {.tick_duration = 100ms, .buckets = 8});
  Periodic periodic(service, clock);
  periodic.schedule(30ms, {30ms, CountsFrom::plan}, log.task(1), CatchUp::burst);
  clock.run_for(300ms);
  std::map<Duration, int> runs;
  for (const Ran& run : log.runs()) ++runs[run.at];
  EXPECT_EQ(runs, (std::map<Duration, int>{{100ms, 3}, {200ms, 3}, {300ms, 4}}));
}

TEST(PeriodicOnAWheel, KeepsItsRateThoughEachRunIsLate) {
  ManualClock clock;
  RunLog log(clock);
  SimpleWheelTimer service(clock, {.tick_duration = 100ms, .buckets = 8});
  Periodic periodic(service, clock);
  periodic.schedule(250ms, {250ms, CountsFrom::plan}, log.task(1));
  clock.run_for(1100ms);
  EXPECT_THAT(log.runs(), ElementsAre(Ran{1, 300ms}, Ran{1, 500ms}, Ran{1, 800ms}, Ran{1, 1s}));
}

}  // namespace
}  // namespace timers
