/// Quantiles of the lateness of all turns, and how much they exceed those of the floor.

#include "benches/harness/services/lateness.hpp"

#include <benchmark/benchmark.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "benches/harness/benchmarks.hpp"
#include "benches/harness/services/os_floor.hpp"
#include "benches/harness/services/schedule_plan.hpp"
#include "benches/harness/services/task_runs.hpp"
#include "impls/clocks/clock.hpp"

namespace timers::benches {
namespace {

using namespace std::chrono_literals;

/// Time that moves only while a thread sleeps.
class SleepTime {
 public:
  Instant now() const { return now_; }
  void pass_until(Instant instant) { now_ = instant; }

 private:
  Instant now_{1h};
};

/// Wakes late by a fixed time, and counts how often it slept.
struct LateSleeper {
  SleepTime& time;
  Duration late;
  int sleeps = 0;

  void sleep_until(Instant deadline) {
    time.pass_until(deadline + late);
    ++sleeps;
  }
};

TEST(SleepThrough, IsAsLateAsTheSleeper) {
  SleepTime time;
  LateSleeper way{time, 7us};
  const Piece piece = steady_piece(1'000, &uniform_delay, 50ms, 400ms, 1);
  const auto runs = sleep_through(time, way, piece);
  EXPECT_NEAR(static_cast<double>(runs.size()), 400, 60);
  EXPECT_EQ(Quantiles(lateness_of(runs)).quantile_ns(0.5), 7'000);
}

TEST(SleepThrough, TakesTheDeadlinesInTheirOrderAndOnlyThoseOfTheWindow) {
  SleepTime time;
  LateSleeper way{time, 1us};
  const Piece piece{{{0ms, 30ms}, {0ms, 20ms}, {0ms, 10ms}, {0ms, 2h}}, {15ms, 1h}};
  const auto runs = sleep_through(time, way, piece);
  ASSERT_EQ(runs.size(), 2U);
  EXPECT_EQ(runs[0].due, Instant(1h) + 20ms);
  EXPECT_EQ(runs[1].due, Instant(1h) + 30ms);
  EXPECT_EQ(way.sleeps, 3) << "until each that is due before the window ends";
}

TEST(SleepThrough, DoesNotSleepUntilWhatIsDueAlready) {
  SleepTime time;
  LateSleeper way{time, 5ms};
  const Piece piece{{{0ms, 10ms}, {0ms, 12ms}, {0ms, 20ms}}, {}};
  const auto runs = sleep_through(time, way, piece);
  EXPECT_THAT(lateness_of(runs), testing::ElementsAre(5ms, 3ms, 5ms));
  EXPECT_EQ(way.sleeps, 2);
}

TEST(WakeForCalls, SleepsUntilEachThatIsNotAtOnceOrPast) {
  SleepTime time;
  LateSleeper way{time, 5ms};
  wake_for_calls(time, way, {{0ms, 1s}, {0ms, 2s}, {10ms, 1s}, {12ms, 1s}, {30ms, 1s}});
  EXPECT_EQ(way.sleeps, 2);
  EXPECT_EQ(time.now(), Instant(1h) + 35ms);
}

std::vector<Run> late_by(std::vector<Duration> spans) {
  std::vector<Run> runs;
  for (const Duration span : spans) runs.push_back({Instant(1h), Instant(1h) + span});
  return runs;
}

/// The counters of a benchmark that reports only this lateness.
benchmark::UserCounters reported(const Lateness& lateness, const Lateness& floor, FigureAt figure) {
  class Listener final : public benchmark::BenchmarkReporter {
   public:
    bool ReportContext(const Context&) override { return true; }
    void ReportRuns(const std::vector<Run>& runs) override { counters = runs.front().counters; }
    benchmark::UserCounters counters;
  };
  add_single_run("lateness", [&](benchmark::State& state) {
    for (auto _ : state) report_lateness(state, lateness, floor, figure);
  });
  Listener listener;
  run_selected(0, &listener);
  benchmark::ClearRegisteredBenchmarks();
  return listener.counters;
}

TEST(Lateness, IsThatOfAllTurnsTogether) {
  Lateness lateness;
  lateness.add(late_by({3us, 1us}));
  lateness.add(late_by({5us, 2us, 4us}));
  benchmark::UserCounters counters = reported(lateness, {}, {0.5});
  EXPECT_EQ(counters.at("operations"), 5);
  EXPECT_EQ(counters.at("p50_ns"), 3'000);
  EXPECT_EQ(counters.at("max_ns"), 5'000);
  EXPECT_EQ(counters.at("ns_per_operation"), 3'000);
  EXPECT_FALSE(counters.contains("p50_beyond_floor_ns")) << "there was no floor";
}

TEST(Lateness, IsReportedBeyondThatOfTheFloor) {
  Lateness lateness;
  Lateness floor;
  lateness.add(late_by({30us, 40us, 100us}));
  floor.add(late_by({8us, 9us, 20us}));
  benchmark::UserCounters counters = reported(lateness, floor, {1});
  EXPECT_EQ(counters.at("ns_per_operation"), 100'000);
  EXPECT_EQ(counters.at("p50_beyond_floor_ns"), 31'000);
  EXPECT_EQ(counters.at("p99_beyond_floor_ns"), 31'000);
  EXPECT_EQ(counters.at("p999_beyond_floor_ns"), 31'000);
}

TEST(OsFloor, SleepsOnTheDeadlinesOfItsPass) {
  const auto lateness = std::make_shared<Lateness>();
  lateness->add(late_by({1s}));  // by an earlier contest
  std::vector<std::size_t> passes;
  OsFloor floor(
      [&](std::size_t pass) {
        passes.push_back(pass);
        return Piece{Plan(pass + 1, {0ms, 1ms}), {}};
      },
      {0.5}, lateness);
  floor.take_turn(0, 0);
  floor.take_turn(1, 0);
  EXPECT_THAT(passes, testing::ElementsAre(0, 1));
  EXPECT_EQ(lateness->spans().size(), 3U);
  for (const Duration span : lateness->spans()) EXPECT_GE(span, 0ns);
}

}  // namespace
}  // namespace timers::benches
