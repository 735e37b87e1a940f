#include "benches/harness/queues/queue_contestant.hpp"

#include <benchmark/benchmark.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <type_traits>
#include <vector>

#include "benches/harness/benchmarks.hpp"
#include "benches/harness/contest.hpp"
#include "benches/harness/queues/call_times.hpp"
#include "benches/workloads/catalog.hpp"
#include "impls/queues/ordered_map.hpp"
#include "tests/conformance/sanitizers.hpp"
#include "tests/queues/weak_queues.hpp"

namespace timers::benches {
namespace {

/// Takes steps of `kMicroseconds` each; if calls are timed, steps of `kTimedMicroseconds`.
template <int kTimedMicroseconds, int kMicroseconds = 1>
class BySteps {
 public:
  static constexpr std::size_t kOperationsACall = 1;
  static constexpr bool kWindowIsLikeTheWhole = false;

  explicit BySteps(const Schedule&) {}

  template <class AnyPlayback, class Witness>
  Timing operator()(AnyPlayback& replay, std::size_t end, Seconds budget, Witness& witness) const {
    constexpr double kAStep =
        1e-6 * (std::is_same_v<Witness, CallTimes> ? kTimedMicroseconds : kMicroseconds);
    const std::size_t begin = replay.position();
    const auto most = static_cast<std::size_t>(std::max(budget.count(), 0.0) / kAStep) + 1;
    replay.run_until(std::min(end, begin + most), witness);
    return {.seconds = kAStep * static_cast<double>(replay.position() - begin)};
  }

  template <class Queue>
  static void count(benchmark::UserCounters&, const Queue&) {}
};

/// Takes steps of one microsecond each. Once there is a stall of 50 ms.
class OnceStalled {
 public:
  static constexpr std::size_t kOperationsACall = 1;
  static constexpr bool kWindowIsLikeTheWhole = false;
  static inline int calls_before_the_stall = 0;

  explicit OnceStalled(const Schedule&) {}

  template <class AnyPlayback, class Witness>
  Timing operator()(AnyPlayback& replay, std::size_t end, Seconds, Witness& witness) const {
    const std::size_t begin = replay.position();
    replay.run_until(end, witness);
    const double stall = calls_before_the_stall-- == 0 ? 0.05 : 0;
    return {.seconds = 1e-6 * static_cast<double>(end - begin) + stall};
  }

  template <class Queue>
  static void count(benchmark::UserCounters&, const Queue&) {}
};

/// Keeps the results that are reported.
class Listener final : public benchmark::BenchmarkReporter {
 public:
  bool ReportContext(const Context&) override { return true; }
  void ReportRuns(const std::vector<Run>& report) override {
    for (const Run& run : report) counters.push_back(run.counters);
  }
  std::vector<benchmark::UserCounters> counters;
};

/// The reference queue, which takes the steps of a schedule with `BySteps`.
template <int kTimedMicroseconds>
class Reference : public Contestant {
 public:
  explicit Reference(const Input& input) : contestant_(input) {}
  void take_turn(std::size_t pass, std::size_t turn) override { contestant_.take_turn(pass, turn); }
  void report(benchmark::State& state) const override { contestant_.report(state); }

 private:
  QueueContestant<OrderedMap<Task>, BySteps<kTimedMicroseconds>> contestant_;
};

/// The same, but it has to leave after the first pass.
template <int kTimedMicroseconds>
class SentAway final : public Reference<kTimedMicroseconds> {
 public:
  using Reference<kTimedMicroseconds>::Reference;
  void take_turn(std::size_t pass, std::size_t turn) override {
    if (pass == 0) Reference<kTimedMicroseconds>::take_turn(pass, turn);
  }
};

/// The counters that such a contestant reports.
template <class AnyContestant>
benchmark::UserCounters reported_of(const Input& input) {
  const auto contest = std::make_shared<Contest>([&] { return extent_of(input); });
  contest->add("bench/ordered_map/case", [&] { return std::make_unique<AnyContestant>(input); });
  Listener listener;
  EXPECT_EQ(run_selected(0, &listener), 0);
  benchmark::ClearRegisteredBenchmarks();
  return listener.counters.at(0);
}

TEST(QueueContestant, BoundsAnOperationWhereTheTimeIsUpWhileCallsAreTimed) {
  constexpr std::size_t kTimers = 400'000;
  auto counters = reported_of<Reference<20>>(Input({log_uniform(kTimers)}, kTimers));
  EXPECT_EQ(counters["slower_than"], 1);
  // Two blocks were timed, and the time of an operation is its share of that.
  const double seconds = counters["seconds"];
  EXPECT_NEAR(seconds, 2 * 131'072e-6, 1e-6);
  EXPECT_NEAR(counters["ns_per_operation"], seconds * 1e9 / kTimers, 1e-3);
}

TEST(QueueContestant, BoundsAnOperationWhereItWasSentAwayBeforeASegmentWasTimed) {
  constexpr std::size_t kTimers = 400'000;
  auto counters = reported_of<SentAway<20>>(Input({log_uniform(kTimers)}, kTimers));
  EXPECT_EQ(counters["slower_than"], 1);
  EXPECT_EQ(counters["segments"], 0);
  EXPECT_NEAR(counters["ns_per_operation"], 2e9 / kTimers, 10);
}

TEST(QueueContestant, KnowsAnOperationOfAScheduleThatItTakesAsAWhole) {
  auto counters = reported_of<Reference<20>>(Input({log_uniform(20'000)}));
  EXPECT_EQ(counters.count("slower_than"), 0u);
  EXPECT_NEAR(counters["ns_per_operation"], counters["seconds"] * 1e9 / 20'000, 1e-3);
}

TEST(QueueContestant, HasItsWholeTimeForWhatIsTimed) {
  // Each time it takes more than half of the budget: first untimed, then timed.
  const Input input({log_uniform(20'000)});
  const Schedule& schedule = input.schedules.front();
  const auto steps = static_cast<double>(schedule.measured_end - schedule.measured_begin);
  auto counters = reported_of<QueueContestant<OrderedMap<Task>, BySteps<40, 40>>>(input);
  EXPECT_GT(40e-6 * steps, kBudget.count() / 2);
  EXPECT_EQ(counters["window_share"], 1);
  EXPECT_NEAR(counters["seconds"], 40e-6 * steps, 1e-6);
}

TEST(QueueContestant, IsTimedEvenIfItRanOutOfTimeUntimed) {
  // Each time it takes four fifths of its steps: first untimed, then timed.
  const Input input({log_uniform(20'000)});
  auto counters = reported_of<QueueContestant<OrderedMap<Task>, BySteps<40, 67>>>(input);
  EXPECT_GT(counters["segments"], 0);
  EXPECT_LT(counters["window_share"], 0.9);
  EXPECT_EQ(counters["slower_than"], 1);
}

TEST(QueueContestant, HasTheSameFigureIfASegmentIsStalled) {
  // In one piece, and in blocks. With a sanitizer no blocks, because the set-up would run out of
  // time.
  std::vector<std::size_t> sizes = {10'000};
  if (!conformance::kSanitized) sizes.push_back(100'000);
  for (const std::size_t timers : sizes) {
    const Input input({retry(timers)}, std::size_t{1} << 18);
    const Schedule& schedule = input.schedules.front();
    const auto steps = static_cast<double>(schedule.measured_end - schedule.measured_begin);
    for (const int calls_before : {0, 3, 7}) {
      OnceStalled::calls_before_the_stall = calls_before;
      auto counters = reported_of<QueueContestant<OrderedMap<Task>, OnceStalled>>(input);
      EXPECT_LT(OnceStalled::calls_before_the_stall, 0);
      EXPECT_NEAR(counters["seconds"], 1e-6 * steps, 1e-6) << calls_before;
    }
  }
}

TEST(QueueContestant, TellsHowLateTimersRanInAQueueThatMayBeLate) {
  const Input input({retry(1'000)});  // of 2, 4, 8 and 16 s
  auto late = reported_of<QueueContestant<LateQueue<Task, EveryEighthTick>>>(input);
  EXPECT_GT(late["late_mean_percent"], 0);
  EXPECT_LT(late["late_mean_percent"], late["late_most_percent"]);
  EXPECT_NEAR(late["late_most_percent"], 100 * 7.0 / 2'000, 0.01);
  const auto exact = reported_of<QueueContestant<OrderedMap<Task>>>(input);
  EXPECT_EQ(exact.count("late_mean_percent") + exact.count("late_most_percent"), 0u);
}

}  // namespace
}  // namespace timers::benches
