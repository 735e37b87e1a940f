#include "benches/harness/services/lateness_of_runs.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "benches/harness/quantiles.hpp"
#include "benches/harness/services/histogram.hpp"
#include "benches/harness/services/open_loop.hpp"
#include "benches/harness/services/schedule_plan.hpp"
#include "benches/harness/services/task_runs.hpp"
#include "impls/clocks/clock.hpp"
#include "impls/measured_settings.hpp"
#include "impls/services/heap_timer.hpp"
#include "impls/timer_task.hpp"
#include "tests/benches/simulation.hpp"
#include "tests/conformance/sanitizers.hpp"

namespace timers::benches {
namespace {

using namespace std::chrono_literals;
using testing::Each;
using testing::HasSubstr;

/// When a timer service runs a timer that is due at this instant; nothing if it never does.
using RunsAt = std::function<std::optional<Instant>(Instant due)>;

/// Runs timers at the instants that a RunsAt gives.
class SimulatedTimer {
 public:
  explicit SimulatedTimer(Simulation& simulation, RunsAt runs_at = &on_time)
      : simulation_(simulation), runs_at_(std::move(runs_at)) {}

  void schedule(Duration delay, TimerTask task) {
    if (const auto at = runs_at_(simulation_.now() + delay)) {
      simulation_.run_at(*at, std::move(task));
    }
  }
  std::size_t pending() const { return simulation_.tasks(); }
  std::vector<TimerTask> stop() { return std::vector<TimerTask>(simulation_.tasks()); }

  static std::optional<Instant> on_time(Instant due) { return due; }

 private:
  Simulation& simulation_;
  RunsAt runs_at_;
};

/// A plan with this number of calls a second, at equal distances, for 2 s.
Plan steady_plan(std::size_t calls_a_second, Duration (*delay)(Random&)) {
  Random random(3);
  Plan plan(2 * calls_a_second);
  for (std::size_t i = 0; i < plan.size(); ++i) {
    plan[i].call = Duration(1s) * i / calls_a_second;
    plan[i].due = plan[i].call + delay(random);
  }
  return plan;
}

double ns(Duration duration) { return static_cast<double>(duration.count()); }

std::string error_of(OpenLoop<Simulation>& loop, SimulatedTimer& timer) {
  try {
    loop.run(timer);
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "none";
}

TEST(OpenLoop, NotesWhenEachTimerRan) {
  Simulation simulation;
  SimulatedTimer timer(simulation, [](Instant due) { return due + 3us; });
  const Plan plan = steady_plan(1'000, &uniform_delay);
  OpenLoop loop(simulation, plan);
  loop.run(timer);
  EXPECT_EQ(loop.runs().size(), 2'000u);
  EXPECT_THAT(lateness_of(loop.runs()), Each(3us));
  EXPECT_EQ(count_early(loop.runs()), 0u);
  EXPECT_THAT(loop.lags(), Each(0ns));
  EXPECT_FALSE(loop.generator_lagged());
}

TEST(OpenLoop, AStallOfTheServiceShowsInTheTail) {
  Simulation simulation;
  const Instant stalls = simulation.now() + 500ms;
  const Instant goes_on = stalls + 100ms;
  SimulatedTimer timer(simulation,
                       [=](Instant due) { return due < stalls ? due : std::max(due, goes_on); });
  const Plan plan = steady_plan(10'000, &exponential_delay);
  OpenLoop loop(simulation, plan);
  loop.run(timer);
  const Quantiles late(lateness_of(loop.runs()));
  EXPECT_EQ(late.quantile_ns(0.5), 0);
  EXPECT_GE(late.quantile_ns(0.999), ns(90ms));
  EXPECT_LE(late.quantile_ns(1), ns(100ms));
  EXPECT_NEAR(static_cast<double>(max_backlog(loop.runs())), 1'000, 50);
}

TEST(OpenLoop, APauseOfTheGeneratorIsItsLagAndHidesNoLateness) {
  Simulation simulation;
  std::size_t calls = 0;
  SimulatedTimer timer(simulation, [&](Instant due) {
    if (++calls == 10'000) simulation.run_until(simulation.now() + 500ms);
    return std::max(due, simulation.now());
  });
  const Plan plan = steady_plan(10'000, &exponential_delay);
  OpenLoop loop(simulation, plan);
  loop.run(timer);
  const Quantiles lags(loop.lags());
  EXPECT_EQ(lags.quantile_ns(1), ns(500ms));
  EXPECT_GE(lags.quantile_ns(0.999), ns(490ms));
  EXPECT_TRUE(loop.generator_lagged());
  const Quantiles late(lateness_of(loop.runs()));
  EXPECT_GE(late.quantile_ns(0.999), ns(400ms)) << "timers were due in the pause, and ran after it";
}

TEST(OpenLoop, AGeneratorThatWasInTimeForEachDeadlineDidNotLag) {
  Simulation simulation;
  SimulatedTimer timer(simulation, [&](Instant due) {
    simulation.run_until(simulation.now() + 1ms);
    return due;
  });
  const Plan plan = plan_ahead(10, 10ms, 0s);
  OpenLoop loop(simulation, plan);
  loop.run(timer);
  EXPECT_EQ(Quantiles(loop.lags()).quantile_ns(1), ns(10ms));
  EXPECT_FALSE(loop.generator_lagged());
  EXPECT_THAT(lateness_of(loop.runs()), Each(0ns));
}

TEST(OpenLoop, OneTimerInAMillionThatIsLostIsAnError) {
  constexpr std::size_t kMillion = conformance::share_of(1'000'000);
  Simulation simulation;
  std::size_t calls = 0;
  SimulatedTimer timer(simulation, [&](Instant due) -> std::optional<Instant> {
    if (++calls == kMillion / 2) return std::nullopt;
    return due;
  });
  const Plan plan = steady_plan(kMillion / 2, [](Random&) { return kLeastDelay; });
  OpenLoop loop(simulation, plan);
  EXPECT_EQ(error_of(loop, timer),
            "of " + std::to_string(kMillion) +
                " timers 1 did not run and 0 ran again; 0 others were pending, and 0 came back");
}

TEST(OpenLoop, ATimerThatStaysPendingIsLostAfterAMinute) {
  Simulation simulation;
  SimulatedTimer timer(simulation, [](Instant due) { return due + 2min; });
  const Plan plan = plan_ahead(1, 10ms, 0s);
  OpenLoop loop(simulation, plan);
  EXPECT_THAT(error_of(loop, timer), HasSubstr("of 1 timers 1 did not run"));
  EXPECT_EQ(simulation.now(), Instant(1h) + 10ms + 1min);
}

TEST(OpenLoop, AServiceThatIsSlowButGoesOnHasItsTime) {
  Simulation simulation;
  Instant next = simulation.now();
  SimulatedTimer timer(simulation, [&](Instant) { return next += 50s; });
  const Plan plan = plan_ahead(10, 10ms, 0s);
  OpenLoop loop(simulation, plan);
  EXPECT_EQ(error_of(loop, timer), "none");
  EXPECT_EQ(Quantiles(lateness_of(loop.runs())).quantile_ns(1), ns(500s - 10ms));
}

TEST(OpenLoop, ATimerThatRunsAgainIsAnError) {
  class Repeating : public SimulatedTimer {
   public:
    using SimulatedTimer::SimulatedTimer;
    void schedule(Duration delay, const std::function<void()>& task) {
      SimulatedTimer::schedule(delay, task);
      if (++calls_ == 3) SimulatedTimer::schedule(delay, task);
    }

   private:
    int calls_ = 0;
  };
  Simulation simulation;
  Repeating timer(simulation);
  const Plan plan = plan_ahead(5, 10ms, 1ms);
  OpenLoop loop(simulation, plan);
  EXPECT_THROW(loop.run(timer), std::runtime_error);
}

TEST(OpenLoop, WhatWasPendingBeforeIsPendingAfter) {
  Simulation simulation;
  SimulatedTimer timer(simulation);
  timer.schedule(1h, [] {});
  const Plan plan = plan_ahead(5, 10ms, 1ms);
  OpenLoop loop(simulation, plan);
  EXPECT_EQ(error_of(loop, timer), "none");
}

TEST(OpenLoop, WhatWasPendingBeforeAndIsLostIsAnError) {
  Simulation simulation;
  SimulatedTimer timer(simulation);
  timer.schedule(11ms, [] {});
  const Plan plan = plan_ahead(5, 10ms, 20ms);
  OpenLoop loop(simulation, plan);
  EXPECT_THAT(error_of(loop, timer), HasSubstr("1 others were pending, and 0 came back"));
}

// The kit tests each service on a real clock, and the bench runs each setting.
TEST(OpenLoop, RunsAServiceOnARealClock) {
  const Plan plan = plan_ahead(10, 1ms, 1ms);
  SteadyClock clock;
  OpenLoop loop(clock, plan);
  HeapTimer service(clock);
  loop.run(service);
  EXPECT_GT(loop.took(), 1ms);
  EXPECT_EQ(loop.runs().size(), 10U);
  EXPECT_EQ(count_early(loop.runs()), 0U);
}

/// Three timers: one due before the window, one in it and one after it.
const Plan kThreeTimers{{0ms, 10ms}, {5ms, 20ms}, {15ms, 2h}};
constexpr Window kSecondOnly{12ms, 30ms};

TEST(OpenLoop, TellsOfWhatIsDueInItsWindow) {
  Simulation simulation;
  SimulatedTimer timer(simulation, [](Instant due) { return due + 3us; });
  OpenLoop loop(simulation, kThreeTimers, kSecondOnly);
  EXPECT_EQ(error_of(loop, timer), "none");
  ASSERT_EQ(loop.runs().size(), 1U);
  EXPECT_EQ(loop.runs()[0].due, Instant(1h) + 20ms);
  EXPECT_EQ(loop.lags().size(), 1U) << "of the call in the window";
  EXPECT_LT(simulation.now(), Instant(1h) + 40ms) << "it does not wait for what stays";
}

TEST(OpenLoop, WhatIsDueAfterItsWindowAndDoesNotComeBackIsAnError) {
  Simulation simulation;
  SimulatedTimer timer(simulation, [&](Instant due) {
    return due > simulation.now() + 1h ? simulation.now() : due;
  });
  OpenLoop loop(simulation, kThreeTimers, kSecondOnly);
  EXPECT_EQ(error_of(loop, timer),
            "of 3 timers 0 did not run and 0 ran again; 1 others were pending, and 0 came back");
}

TEST(OpenLoop, WhatIsLostBeforeItsWindowIsAnError) {
  Simulation simulation;
  SimulatedTimer timer(simulation, [](Instant due) -> std::optional<Instant> {
    if (due == Instant(1h) + 10ms) return std::nullopt;
    return due;
  });
  OpenLoop loop(simulation, kThreeTimers, kSecondOnly);
  EXPECT_THAT(error_of(loop, timer), HasSubstr("of 3 timers 1 did not run"));
}

TEST(OpenLoop, ThatWasNotDoneWithTheFirstCallsWhenSomethingWasDueBeganLate) {
  const auto began_in_time = [](Duration of_call) {
    Simulation simulation;
    SimulatedTimer timer(simulation, [&](Instant due) {
      simulation.run_until(simulation.now() + of_call);
      return std::max(due, simulation.now());
    });
    const Plan plan = plan_ahead(10, 10ms, 0s);
    OpenLoop loop(simulation, plan);
    loop.run(timer);
    return loop.began_in_time();
  };
  EXPECT_TRUE(began_in_time(1ms));
  EXPECT_FALSE(began_in_time(1001us));
}

TEST(OpenLoop, TakesTheTimeFromItsWindowOn) {
  Simulation simulation;
  SimulatedTimer timer(simulation);
  const Piece piece = steady_piece(1'000, &uniform_delay, 50ms, 400ms, 1);
  OpenLoop loop(simulation, piece.plan, piece.window);
  loop.run(timer);
  EXPECT_GE(loop.took(), 395ms);
  EXPECT_LE(loop.took(), 401ms);
}

TEST(OpenLoop, TakesNoTimeOfWhatRunsAfterItsWindow) {
  Simulation simulation;
  SimulatedTimer timer(simulation,
                       [](Instant due) { return due < Instant(2h) ? due + 90ms : due; });
  const Piece piece = steady_piece(1'000, &uniform_delay, 50ms, 400ms, 1);
  OpenLoop loop(simulation, piece.plan, piece.window);
  loop.run(timer);
  EXPECT_LE(loop.took(), 401ms);
  EXPECT_GE(simulation.now(), Instant(1h) + piece.window.end + 80ms) << "it waits for late tasks";
}

TEST(SteadyPiece, HasAsManyTimersDueAndScheduledInItsWindowAsInAnyOther) {
  const Piece piece = steady_piece(10'000, &uniform_delay, 50ms, 400ms, 1);
  EXPECT_EQ(piece.window.begin, 150ms);
  EXPECT_EQ(piece.window.end, 550ms);
  const auto in_window = [&](Duration time) {
    return time >= piece.window.begin && time < piece.window.end;
  };
  const auto due = std::count_if(piece.plan.begin(), piece.plan.end(),
                                 [&](const PlannedTimer& timer) { return in_window(timer.due); });
  const auto calls =
      std::count_if(piece.plan.begin(), piece.plan.end(),
                    [&](const PlannedTimer& timer) { return in_window(timer.call); });
  EXPECT_NEAR(static_cast<double>(due), 4'000, 150);
  EXPECT_EQ(calls, 4'000);
}

TEST(SteadyPiece, BeginsWithAsManyPendingAsTheLoadHasAlways) {
  const Piece piece = steady_piece(10'000, &uniform_delay, 50ms, 400ms, 1);
  std::size_t at_once = 0;
  for (const PlannedTimer& timer : piece.plan) at_once += timer.call == 0s ? 1 : 0;
  EXPECT_NEAR(static_cast<double>(at_once), 5'050, 150) << "10,000 a second, 505 ms each";
  EXPECT_TRUE(
      std::is_sorted(piece.plan.begin(), piece.plan.end(),
                     [](const PlannedTimer& a, const PlannedTimer& b) { return a.call < b.call; }));
}

TEST(SteadyPiece, HasNothingDueBeforeItsLeadAndPutsOffWhatIsDueAfterItsWindow) {
  const Piece piece = steady_piece(10'000, &exponential_delay, 50ms, 400ms, 1);
  std::size_t put_off = 0;
  for (const PlannedTimer& timer : piece.plan) {
    ASSERT_GE(timer.due, 50ms);
    ASSERT_GE(timer.due, timer.call + 10ms - (timer.call == 0s ? 10ms : 0ms));
    if (timer.due < piece.window.end) continue;
    ASSERT_GE(timer.due, 1h);
    ++put_off;
  }
  EXPECT_NEAR(static_cast<double>(put_off), 1'000, 100) << "10,000 a second, 100 ms each";
}

TEST(SteadyPiece, IsAnotherOneForEachSeed) {
  const auto dues = [](std::uint64_t seed) {
    std::vector<Duration> all;
    for (const PlannedTimer& timer : steady_piece(100, &uniform_delay, 0s, 400ms, seed).plan) {
      all.push_back(timer.due);
    }
    return all;
  };
  EXPECT_EQ(dues(1), dues(1));
  EXPECT_NE(dues(1), dues(2));
}

TEST(UnevenPlan, MeetsTicksInAllPhasesInTheOrderOfItsTimers) {
  const Plan plan = uneven_plan_ahead(1'000, 300ms, 2s);
  ASSERT_EQ(plan.size(), 2'000U);
  EXPECT_EQ(plan.back().call, 0s) << "all calls are made at the beginning";
  EXPECT_TRUE(std::is_sorted(plan.begin(), plan.end(), is_due_before));
  std::array<int, 4> in_quarter{};
  for (std::size_t i = 0; i < plan.size(); ++i) {
    const Duration phase = plan[i].due - 300ms - i * 1ms;
    ASSERT_GE(phase, -1ns);
    ASSERT_LT(phase, 1ms);
    ++in_quarter[static_cast<std::size_t>(std::max(phase, 0ns) / 250us)];
  }
  for (const int timers : in_quarter) EXPECT_NEAR(timers, 500, 75);
}

TEST(EvenPlan, HasItsTimersDueEvenlyAndAllCallsBefore) {
  const Plan plan = even_plan_ahead(1'000, 300ms, 2s);
  ASSERT_EQ(plan.size(), 2'000U);
  EXPECT_EQ(plan.back().call, 0s) << "all calls are made at the beginning";
  EXPECT_EQ(plan[0].due, 300ms);
  EXPECT_EQ(plan[1].due, 301ms);
  EXPECT_NEAR(static_cast<double>(plan.back().due.count()), 2.299e9, 1.0);
}

TEST(Lateness, OfATimerThatRanEarlyIsNone) {
  const std::vector<benches::Run> runs{{Instant(5ms), Instant(4ms)}, {Instant(5ms), Instant(7ms)}};
  EXPECT_THAT(lateness_of(runs), testing::ElementsAre(0ms, 2ms));
  EXPECT_EQ(count_early(runs), 1u);
}

TEST(Lateness, ATimerThatRunsEarlyIsAnErrorUnlessItMay) {
  using Strict = Default;
  using Lax = AsInKafka;
  const std::vector<benches::Run> in_time{{Instant(5ms), Instant(5ms)}};
  const std::vector<benches::Run> early{{Instant(5ms), Instant(4ms)}};
  const std::vector<benches::Run> too_early{{Instant(5ms), Instant(4ms - 1ns)}};
  EXPECT_NO_THROW(refuse_early<Strict>(in_time));
  EXPECT_THROW(refuse_early<Strict>(early), std::runtime_error);
  EXPECT_NO_THROW(refuse_early<Lax>(early));
  EXPECT_THROW(refuse_early<Lax>(too_early), std::runtime_error);
}

TEST(Slices, TellTheBacklogAndWhatStarted) {
  const std::vector<benches::Run> runs{{Instant(100ms), Instant(101ms)},
                                       {Instant(120ms), Instant(210ms)},
                                       {Instant(160ms), Instant(215ms)}};
  const std::vector<Slice> slices = slices_of(runs, 50ms);
  ASSERT_EQ(slices.size(), 3u);
  EXPECT_EQ(slices[0].begin, 0ms);
  EXPECT_EQ(slices[0].backlog, 1u);
  EXPECT_EQ(slices[0].p99_ns, ns(1ms));
  EXPECT_EQ(slices[1].begin, 50ms);
  EXPECT_EQ(slices[1].backlog, 2u);
  EXPECT_EQ(slices[1].p99_ns, std::nullopt);
  EXPECT_EQ(slices[2].backlog, 0u);
  EXPECT_EQ(slices[2].p99_ns, ns(55ms));
}

TEST(Slices, HaveNoBacklogWhereTimersRunEarly) {
  const std::vector<benches::Run> runs{{Instant(100ms), Instant(99ms)},
                                       {Instant(160ms), Instant(140ms)}};
  const std::vector<Slice> slices = slices_of(runs, 50ms);
  ASSERT_EQ(slices.size(), 1u);
  EXPECT_EQ(slices[0].backlog, 0u);
  EXPECT_EQ(slices[0].p99_ns, 0);
}

TEST(Histogram, HasEachSpanWithin2Point5PercentOfTheMiddleOfItsBin) {
  const double widest = std::pow(10, 1.0 / 48);
  int looked_at = 0;
  for (double span = 1e3; span < 99e9; span *= 1.003) {
    const std::string json = histogram_of({Duration(static_cast<Duration::rep>(span))});
    const double lower_edge = std::stod(json.substr(2));
    const double middle = lower_edge * (1 + widest) / 2;
    ASSERT_NEAR(span / middle, 1, 0.025) << json;
    ++looked_at;
  }
  EXPECT_GT(looked_at, 5'000);
}

TEST(Histogram, HasABinForWhatIsVeryShortAndForWhatIsVeryLong) {
  EXPECT_EQ(histogram_of({0ns, 999ns, 1us, 10us, 100s, 1h}),
            "[[0,2],[1000,1],[10000,1],[100000000000,2]]");
}

}  // namespace
}  // namespace timers::benches
