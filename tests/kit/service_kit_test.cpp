/// Tests of the kit for services: for each mistake that a service may make, a sentence finds it.

#include <gmock/gmock.h>
#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <memory>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>

#include "impls/clocks/clock.hpp"
#include "tests/conformance/services/any_service.hpp"
#include "tests/conformance/services/in_words.hpp"
#include "tests/conformance/services/promises.hpp"
#include "tests/conformance/services/scenario.hpp"
#include "tests/conformance/services/sentence.hpp"
#include "tests/services/plain_timer.hpp"

namespace timers::service_conformance {
namespace {

/// Whether the sentence of this name fails for services of this kind, and is not skipped.
bool fails(std::string_view name, const ServiceKind& kind) {
  for (const Sentence* sentence : Sentence::all()) {
    if (sentence->name() != name) continue;
    testing::TestPartResultArray results;
    const testing::ScopedFakeTestPartResultReporter reporter(
        testing::ScopedFakeTestPartResultReporter::INTERCEPT_ALL_THREADS, &results);
    try {
      sentence->test(kind);
    } catch (const Skip&) {
      return false;
    } catch (...) {
      return true;
    }
    for (int i = 0; i < results.size(); ++i) {
      if (results.GetTestPartResult(i).failed()) return true;
    }
    return false;
  }
  ADD_FAILURE() << "the kit has no sentence " << name;
  return false;
}

struct Case {
  friend std::ostream& operator<<(std::ostream& out, const Case& test) {
    return out << "a mistake that is caught by " << test.caught_by;
  }

  const char* caught_by;
  ServiceKind kind;
};

template <Mistake kMistake>
std::unique_ptr<AnyService> make_with(ManualClock& clock, const Settings& settings) {
  PlainTimerOptions options{.mistake = kMistake};
  if (settings.on_error) options.on_error = settings.on_error;
  if (settings.max_pending > 0) options.max_pending = settings.max_pending;
  return std::make_unique<ErasedService<PlainTimer<ManualClock>>>(clock, std::move(options));
}

/// One class serves all mistakes: a class for each mistake costs the compiler a second.
template <Mistake kMistake>
ServiceKind kind_with() {
  ServiceKind kind = kind_of<PlainTimer<ManualClock>>();
  kind.factory = &make_with<kMistake>;
  return kind;
}

template <Mistake kMistake>
Case with(const char* caught_by) {
  return {caught_by, kind_with<kMistake>()};
}

class ServiceKit : public testing::TestWithParam<Case> {};

//
TEST_P(ServiceKit, FindsTheMistake) {
  const auto& [sentence, kind] = GetParam();
  EXPECT_FALSE(fails(sentence, kind_of<PlainTimer<ManualClock>>()));
  EXPECT_TRUE(fails(sentence, kind));
}

INSTANTIATE_TEST_SUITE_P(
    by, ServiceKit,
    testing::Values(
        with<Mistake::starts_early>("NeverStartsATaskEarly"),
        with<Mistake::starts_late>("StartsATaskNoLaterThanItSays"),
        with<Mistake::adds_without_saturation>("NeverStartsATaskWhoseDelayLeadsBeyondAllTime"),
        with<Mistake::wraps_after_49_days>("IsExactAfterALongUptime"),
        with<Mistake::misplaces_ties>("StartsEqualDeadlinesInTheOrderOfTheirComing"),
        with<Mistake::misses_a_new_head>("IsWokenByAnEarlierDeadline"),
        with<Mistake::wakes_for_each>("SleepsOnWhenALaterDeadlineComes"),
        with<Mistake::ticks>("SleepsUntilItsOnlyTimerIsDue"),
        with<Mistake::counts_what_is_cancelled>("CountsWhatIsPending"),
        with<Mistake::counts_what_runs>("DoesNotCountATaskThatRuns"),
        with<Mistake::keeps_what_is_cancelled>("ForgetsWhatIsCancelled"),
        with<Mistake::says_gone_while_running>("SaysOfATimerThatRunsThatItIsRunning"),
        with<Mistake::says_cancelled_each_time>("CancelsATimerOnce"),
        with<Mistake::cancels_in_two_steps>("CancelsATimerOnceForTwoThreads"),
        with<Mistake::runs_what_is_cancelled>("NeverRunsACancelledTask"),
        with<Mistake::dies_of_an_exception>("LosesNoOtherTaskWhenOneThrows"),
        with<Mistake::keeps_exceptions_to_itself>("TellsItsHandlerWhatATaskThrew"),
        with<Mistake::takes_no_task_for_a_task>("RefusesATaskThatIsNotThere"),
        with<Mistake::looks_for_room_too_soon>("GivesItsLastPlaceToOneOfTwoThreads"),
        with<Mistake::takes_tasks_when_stopped>("RefusesTasksOnceItIsStopped"),
        with<Mistake::loses_tasks_when_stopped>("ReturnsTheTasksThatNeverRanWhenItIsStopped"),
        with<Mistake::returns_tasks_each_time>("ReturnsNothingWhenItIsStoppedAgain"),
        with<Mistake::returns_what_is_cancelled>("CancelsOrReturnsATimerWhileAStopWaits"),
        with<Mistake::does_not_wait_when_stopped>("WaitsForTheTaskThatRunsWhenItIsStopped"),
        with<Mistake::stops_for_its_task>("RefusesToBeStoppedByItsTaskAndGoesOn"),
        with<Mistake::stops_for_no_task>("LetsATaskStopAnotherService"),
        with<Mistake::allocates_twice>("AllocatesNoMoreOftenToScheduleThanItPromises"),
        with<Mistake::schedules_half>("IsAsItWasWhenMemoryRunsOut"),
        with<Mistake::loses_tasks_for_want_of_memory>("LosesNoTaskIfMemoryRunsOutInAStop"),
        with<Mistake::needs_memory_to_be_destroyed>("NeedsNoMemoryToBeDestroyed")),
    [](const auto& test) { return std::string(test.param.caught_by); });

/// Checks that a service fails this sentence, and passes it when it promises less.
template <Mistake kMistake>
void expect_excused(std::string_view sentence, void (*weaken)(ServicePromises&)) {
  ServiceKind kind = kind_with<kMistake>();
  EXPECT_TRUE(fails(sentence, kind)) << sentence;
  weaken(kind.promises);
  EXPECT_FALSE(fails(sentence, kind)) << sentence;
}

TEST(ServiceKit, AsksForNoMoreThanIsPromised) {
  expect_excused<Mistake::allocates_twice>(
      "AllocatesNoMoreOftenToScheduleThanItPromises",
      [](ServicePromises& promises) { promises.max_allocations = 2; });
  expect_excused<Mistake::wakes_for_each>(
      "SleepsOnWhenALaterDeadlineComes",
      [](ServicePromises& promises) { promises.sleeps_on = false; });
  expect_excused<Mistake::wakes_for_each>(
      "SleepsOnWhenVeryManyLaterDeadlinesCome",
      [](ServicePromises& promises) { promises.sleeps_on = false; });
  expect_excused<Mistake::keeps_what_is_cancelled>(
      "ForgetsWhatIsCancelled",
      [](ServicePromises& promises) { promises.forgets_cancelled = false; });
}

TEST(CancelResult, IsPrintedByItsName) {
  EXPECT_EQ(testing::PrintToString(CancelResult::gone), "gone");
  EXPECT_EQ(testing::PrintToString(CancelResult::running), "running");
  EXPECT_EQ(testing::PrintToString(CancelResult::cancelled), "cancelled");
}

template <Mistake kMistake>
std::string message_of(void (*test)(Scenario& service)) {
  testing::TestPartResultArray results;
  {
    const testing::ScopedFakeTestPartResultReporter reporter(
        testing::ScopedFakeTestPartResultReporter::INTERCEPT_ALL_THREADS, &results);
    Scenario service(kind_with<kMistake>());
    test(service);
  }
  return results.size() == 0 ? "" : results.GetTestPartResult(0).message();
}

//
TEST(ServiceMessages, TellTheLawWhatWasExpectedAndWhatWasDone) {
  EXPECT_THAT(message_of<Mistake::starts_early>([](Scenario& service) {
                service.schedule(1, std::chrono::milliseconds(5));
                service.run_for(std::chrono::seconds(1));
              }),
              testing::EndsWith("breaks the contract in TellTheLawWhatWasExpectedAndWhatWasDone:\n"
                                "law:      No task starts before its deadline.\n"
                                "expected: timer 1, due at 5 ms, waits\n"
                                "seen:     timer 1, due at 5 ms, started at 4999999 ns\n"
                                "history:  schedule 1 in 5 ms, run 1"));
  EXPECT_THAT(message_of<Mistake::counts_what_is_cancelled>([](Scenario& service) {
                service.schedule(1, std::chrono::hours(2));
                service.cancel(1);
                service.run_for(std::chrono::minutes(3));
              }),
              testing::EndsWith("law:      pending is how many timers wait.\n"
                                "expected: 0\n"
                                "seen:     1\n"
                                "history:  schedule 1 in 2 h, cancel 1, time goes to 3 min"));
  EXPECT_THAT(message_of<Mistake::says_cancelled_each_time>([](Scenario& service) {
                service.schedule(1, std::chrono::seconds(1));
                for (int i = 0; i < 2; ++i) service.cancel(1);
              }),
              testing::EndsWith("law:      cancel tells what became of the timer.\n"
                                "expected: gone, for timer 1\n"
                                "seen:     cancelled\n"
                                "history:  schedule 1 in 1 s, cancel 1, cancel 1"));
}

TEST(ServiceMessages, TellSpansInTheLargestUnitInWhichTheyAreWhole) {
  EXPECT_EQ(in_words(Duration(0)), "0");
  EXPECT_EQ(in_words(std::chrono::hours(24)), "24 h");
  EXPECT_EQ(in_words(std::chrono::minutes(90)), "90 min");
  EXPECT_EQ(in_words(Duration(1'500'000)), "1500 us");
  EXPECT_EQ(in_words(Duration(-7)), "-7 ns");
  EXPECT_EQ(in_words(Duration::max()), "Duration::max()");
}

//
TEST(ServiceScenario, FailsWhenItSawNothingHappen) {
  EXPECT_NONFATAL_FAILURE(
      {
        Scenario service(kind_of<PlainTimer<ManualClock>>());
        service.schedule(1, Duration(5));
        service.run_for(Duration(4));
      },
      "saw nothing happen");
}

TEST(ServiceScenario, SkipsWhatAServiceDoesNotPromise) {
  ServiceKind kind = kind_of<PlainTimer<ManualClock>>();
  kind.promises.serial = false;
  kind.tells_errors = false;
  Scenario service(kind);
  EXPECT_THROW(service.needs_serial(), Skip);
  EXPECT_THROW(service.needs_fifo(), Skip);
  EXPECT_THROW(service.needs_error_handler(), Skip);
  service.schedule(1, Duration(5));
  service.pass(Duration(5));
  EXPECT_TRUE(service.ran({1}));
  EXPECT_FALSE(service.ran({1, 2}));
}

struct Silent {};
struct Weak {
  static constexpr bool serial = false;
  static constexpr bool refuses_negative_delays = true;
  static constexpr bool sleeps_on = false;
  static constexpr std::size_t max_allocations = 3;
  static constexpr std::size_t max_idle_wakes(Duration delay) {
    return static_cast<std::size_t>(delay.count());
  }
};

TEST(ServicePromises, AreTheStrictestWhereAServiceIsSilent) {
  constexpr ServicePromises kStrict = service_promises_of<Silent>();
  EXPECT_TRUE(kStrict.serial && kStrict.fifo && kStrict.forgets_cancelled && kStrict.sleeps_on);
  EXPECT_EQ(kStrict.max_allocations, 1u);
  EXPECT_FALSE(kStrict.refuses_negative_delays || kStrict.refuses_endless_delays);
  EXPECT_EQ(kStrict.max_idle_wakes(Duration::max()), 0u);
  constexpr ServicePromises kWeak = service_promises_of<Weak>();
  EXPECT_FALSE(kWeak.serial || kWeak.sleeps_on);
  EXPECT_EQ(kWeak.max_allocations, 3u);
  EXPECT_TRUE(kWeak.fifo && kWeak.refuses_negative_delays);
  EXPECT_EQ(kWeak.max_idle_wakes(Duration(7)), 7u);
}

TEST(ServicePromises, AreAtLeastAsStrongAsThemselves) {
  constexpr ServicePromises kWeak = service_promises_of<Weak>();
  EXPECT_TRUE(at_least_as_strong({}, {}));
  EXPECT_TRUE(at_least_as_strong(kWeak, kWeak));
  EXPECT_TRUE(at_least_as_strong({}, kWeak));
}

TEST(ServicePromises, AreWeakerWhereOneOfThemIs) {
  EXPECT_FALSE(at_least_as_strong({.serial = false}, {}));
  EXPECT_FALSE(at_least_as_strong({.fifo = false}, {}));
  EXPECT_FALSE(at_least_as_strong({.rearms_in_turn = false}, {}));
  EXPECT_FALSE(at_least_as_strong({.refuses_negative_delays = true}, {}));
  EXPECT_FALSE(at_least_as_strong({.refuses_endless_delays = true}, {}));
  EXPECT_FALSE(at_least_as_strong({.forgets_cancelled = false}, {}));
  EXPECT_FALSE(at_least_as_strong({.sleeps_on = false}, {}));
  EXPECT_FALSE(at_least_as_strong({.max_allocations = 2}, {}));
  EXPECT_FALSE(at_least_as_strong({.max_idle_wakes = &Weak::max_idle_wakes}, {}));
}

}  // namespace
}  // namespace timers::service_conformance
