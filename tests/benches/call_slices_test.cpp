/// Slices make each call once, and cost what they should. A single disturbed slice changes no
/// figure.

#include "benches/harness/services/call_slices.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <stdexcept>
#include <thread>
#include <vector>

#include "benches/harness/services/other_threads.hpp"
#include "benches/harness/services/processor_time.hpp"
#include "benches/harness/services/producers.hpp"
#include "benches/harness/services/rest.hpp"
#include "impls/clocks/clock.hpp"

namespace timers::benches {
namespace {

using namespace std::chrono_literals;

/// Time that stands still, except when some thread works.
class WorkTime {
 public:
  Instant now() const { return Instant(Duration(ns_.load())); }
  void work(Duration duration) { ns_.fetch_add(duration.count()); }

 private:
  std::atomic<Duration::rep> ns_ = 0;
};

void compute(double seconds) {
  const double end = thread_seconds() + seconds;
  while (thread_seconds() < end) {
  }
}

/// A service whose thread computes when it is woken.
class ComputingService {
 public:
  explicit ComputingService(double seconds)
      : thread_([this, seconds] {
          for (parker_.park(); !stops_; parker_.park()) compute(seconds);
        }) {}
  ComputingService(const ComputingService&) = delete;
  ComputingService& operator=(const ComputingService&) = delete;
  ~ComputingService() {
    stops_ = true;
    parker_.unpark();
  }

  void call() { parker_.unpark(); }

 private:
  SteadyClock clock_;
  SteadyClock::Parker parker_{clock_};
  std::atomic<bool> stops_ = false;
  std::jthread thread_;
};

TEST(Rest, BeginsWhenTheLastOtherThreadSleeps) {
  std::atomic<bool> goes_on = true;
  SteadyClock clock;
  SteadyClock::Parker parker(clock);
  std::jthread thread([&] {
    while (goes_on) {
    }
    parker.park();
  });
  EXPECT_FALSE(all_other_threads_sleep());
  goes_on = false;
  wait_until_all_other_threads_sleep();
  EXPECT_TRUE(all_other_threads_sleep());
  parker.unpark();
}

TEST(OtherThreads, AreThoseSinceAMoment) {
  SteadyClock clock;
  const Producers older(clock, 2);
  const OtherThreads before;
  const Producers younger(clock, 3);
  EXPECT_EQ(OtherThreads().since(before).count(), 3U);
}

TEST(CallSlices, MakeEachCallOnce) {
  SteadyClock clock;
  Producers producers(clock, 4);
  CallSlices slices(clock, producers, OtherThreads());
  std::vector<std::atomic<int>> calls(31);
  slices.cost_of({0, 11}, [&](std::size_t i) { ++calls[i]; });
  slices.cost_of({11, 30}, [&](std::size_t i) { ++calls[i]; });
  for (std::size_t i = 0; i < 30; ++i) EXPECT_EQ(calls[i], 1) << i;
  EXPECT_EQ(calls[30], 0);
}

TEST(CallSlices, CostTheWallTimeOfACall) {
  WorkTime time;
  Producers producers(time, 1);
  CallSlices slices(time, producers, OtherThreads());
  const CallCost cost = slices.cost_of({0, 100}, [&](std::size_t) { time.work(30ns); });
  EXPECT_EQ(cost.wall_ns, 30);
}

TEST(CallSlices, OfSeveralProducersCostTheInverseOfTheThroughput) {
  WorkTime time;
  Producers producers(time, 4);
  CallSlices slices(time, producers, OtherThreads());
  // Time passes when any thread works, as if all threads shared one core.
  const CallCost cost = slices.cost_of({0, 100}, [&](std::size_t) { time.work(30ns); });
  EXPECT_EQ(cost.wall_ns, 30);
}

TEST(CallSlices, AStallInOneOfThemMovesNoFigure) {
  WorkTime time;
  Producers producers(time, 2);
  CallSlices slices(time, producers, OtherThreads());
  std::vector<CallCost> costs;
  for (std::size_t slice = 0; slice < 5; ++slice) {
    costs.push_back(slices.cost_of({slice * 100, (slice + 1) * 100}, [&](std::size_t i) {
      time.work(i == 250 ? Duration(50ms) : Duration(30ns));
    }));
  }
  EXPECT_GT(costs[2].wall_ns, 400'000);
  EXPECT_EQ(median_of(costs).wall_ns, 30);
}

/// The thread that measures works meanwhile: it watches the service. That time does not count.
TEST(CallSlices, CostTheProcessorTimeOfProducersAndService) {
  constexpr double kOfService = 0.03;
  constexpr double kOfCall = 0.005;
  SteadyClock clock;
  Producers producers(clock, 2);
  const OtherThreads before;
  ComputingService service(kOfService);
  CallSlices slices(clock, producers, OtherThreads().since(before));
  const CallCost cost = slices.cost_of({0, 4}, [&](std::size_t i) {
    compute(kOfCall);
    if (i == 3) service.call();
  });
  constexpr double kAll = kOfService + 4 * kOfCall;
  // A thread reports that it sleeps a moment before it leaves its core.
  constexpr double kOfSwitch = 1e-4;
  EXPECT_GE(cost.processor_ns * 4, (kAll - kOfSwitch) * 1e9);
  EXPECT_LT(cost.processor_ns * 4, kAll * 1.2e9);
  EXPECT_EQ(cost.wakes * 4, 1) << "the service computed, and slept again";
}

TEST(CallSlices, TellTheP99OfSomeSingleCalls) {
  WorkTime time;
  Producers producers(time, 1);
  CallSlices slices(time, producers, OtherThreads());
  const double p99 = slices.p99_ns_of({1'000, 8'000}, [&](std::size_t i) {
    time.work(i % 70 == 1'000 % 70 ? Duration(1us) : Duration(30ns));
  });
  EXPECT_EQ(p99, 1'000) << "one in ten of those that are timed is slow";
}

TEST(MedianOfSlices, IsThatOfEachFigureByItself) {
  const CallCost median = median_of({{1, 30, 5}, {2, 10, 7}, {9, 20, 6}});
  EXPECT_EQ(median.wall_ns, 2);
  EXPECT_EQ(median.processor_ns, 20);
  EXPECT_EQ(median.wakes, 6);
}

TEST(MedianOfSlices, OfAnEvenNumberIsInTheMiddleOfTwo) {
  EXPECT_EQ(median_of(std::vector<double>{7, 1, 3, 100}), 5);
}

TEST(MedianOfSlices, OfNoneIsAnError) {
  EXPECT_THROW(median_of(std::vector<CallCost>{}), std::runtime_error);
}

}  // namespace
}  // namespace timers::benches
