#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "benches/harness/queues/input.hpp"
#include "benches/harness/queues/playback.hpp"
#include "benches/harness/queues/proof.hpp"
#include "benches/workloads/catalog.hpp"
#include "benches/workloads/random.hpp"
#include "impls/catalog.hpp"
#include "tests/benches/proving_queues.hpp"
#include "tests/conformance/sanitizers.hpp"

namespace timers::benches {
namespace {

TEST(Random, IsTheSameEverywhere) {
  Random random(1);
  EXPECT_EQ(random.next(), 0x910a2dec89025cc1u);
  EXPECT_EQ(random.uniform(), 0x1.7dd71b42cb1ddp-1);
  EXPECT_EQ(random.exponential(1), 0x1.e21d7bedcd61p-6);
  EXPECT_EQ(random.log_normal(20, 1.6288), 0x1.c025c65099fa6p-1);
}

TEST(Random, HasTheQuartilesOfALogNormalDistribution) {
  Random random(2);
  constexpr int kDraws = 100'000;
  int below_median = 0;
  int below_upper_quartile = 0;
  for (int i = 0; i < kDraws; ++i) {
    const double drawn = random.log_normal(20, 1.6288);
    below_median += drawn < 20;
    below_upper_quartile += drawn < 60;
  }
  EXPECT_NEAR(below_median, 0.5 * kDraws, 800);
  EXPECT_NEAR(below_upper_quartile, 0.75 * kDraws, 800);
}

TEST(Random, HasTheMeanOfAnExponentialDistribution) {
  Random random(3);
  double sum = 0;
  for (int i = 0; i < 100'000; ++i) sum += random.exponential(5);
  EXPECT_NEAR(sum / 100'000, 5, 0.1);
}

/// What a schedule does in its measured part.
struct Course {
  double mean_pending = 0;  // over the ticks
  std::size_t inserts = 0;
  std::size_t cancels = 0;
  std::size_t rearms = 0;
  std::size_t calls = 0;
  std::size_t expiries = 0;
  std::size_t most_expiries = 0;  // of a single call
  bool tick_by_tick = true;
};

Course course_of(const Schedule& schedule) {
  Course course;
  OrderedMap<Task> queue;
  std::vector<OrderedMap<Task>::Handle> handles(schedule.slots);
  Tick now = 0;
  for (std::size_t i = 0; i < schedule.measured_end; ++i) {
    const Step& step = schedule.steps[i];
    const bool measured = i >= schedule.measured_begin;
    switch (step.verb()) {
      case Step::Verb::expire: {
        const std::size_t ran = queue.expire(step.tick, [](Tick, Task) {});
        if (measured) {
          course.mean_pending += static_cast<double>(queue.size());
          course.expiries += ran;
          course.most_expiries = std::max(course.most_expiries, ran);
          course.tick_by_tick &= step.tick == now + 1;
          ++course.calls;
        }
        now = step.tick;
        break;
      }
      case Step::Verb::insert:
        handles[step.slot()] = queue.insert(step.tick, step.line);
        course.inserts += measured;
        break;
      case Step::Verb::cancel:
        EXPECT_TRUE(queue.cancel(handles[step.slot()])) << "line " << step.line;
        course.cancels += measured;
        break;
      case Step::Verb::rearm:
        EXPECT_TRUE(queue.rearm(handles[step.slot()], step.tick)) << "line " << step.line;
        course.rearms += measured;
        break;
    }
  }
  if (course.calls != 0) course.mean_pending /= static_cast<double>(course.calls);
  return course;
}

double ratio(std::size_t part, std::size_t whole) {
  return static_cast<double>(part) / static_cast<double>(whole);
}

TEST(Workloads, ShowOnAQueueOfEachStructureWhatIsRight) {
  if (conformance::kSanitized) GTEST_SKIP() << "it takes long, and the kit has every queue";
  int workloads = 0;
  for_each_workload([&](const Workload& workload) {
    const Input input({workload.make(1'000, 1)});
    for_each_type(ProvingQueues<Task>{}, [&]<class Queue>() {
      EXPECT_EQ(fault_of<Queue>(input.schedules.front(), input.expected.front()), "")
          << Queue::name << " on " << workload.name;
    });
    ++workloads;
  });
  EXPECT_GE(workloads, 20);
}

std::uint64_t checksum_of(const Schedule& schedule) {
  std::uint64_t checksum = 0;
  for (const Step& step : schedule.steps) {
    checksum =
        mix(checksum + step.tick, step.line, step.slot()) + static_cast<unsigned>(step.verb());
  }
  return checksum;
}

TEST(Workloads, AreTheSameEverywhere) {
  for_each_workload([](const Workload& workload) {
    const std::uint64_t checksum = checksum_of(workload.make(1'000, 1));
    EXPECT_EQ(checksum, workload.checksum) << fmt::format(
        "{} has the checksum {:#x}: put that into its line of "
        "benches/workloads/catalog.hpp, if the workload is new or meant to change",
        workload.name, checksum);
  });
}

TEST(Workloads, DifferByTheirSeed) {
  for_each_workload([](const Workload& workload) {
    const bool is_staircase = std::string_view(workload.name) == "init" ||
                              std::string_view(workload.name) == "dispatch" ||
                              std::string_view(workload.name) == "clean_up";
    const auto checksum = [&](std::uint64_t seed) {
      return checksum_of(workload.make(1'000, seed));
    };
    EXPECT_EQ(checksum(1) == checksum(2), is_staircase) << workload.name;
  });
}

TEST(Workloads, OfTheSteadyStateKeepAsManyTimersPendingAsTheyAreAskedFor) {
  for (const auto make : {&rpc, &rpc_mixed, &rpc_wide, &tcp, &retry, &delays_only, &idle, &raft,
                          &one_delay, &three_delays, &ten_delays, &pacing}) {
    const Course course = course_of(make(3'000, 1));
    EXPECT_NEAR(course.mean_pending / 3'000, 1, 0.03);
    EXPECT_TRUE(course.tick_by_tick);
    EXPECT_GE(course.calls, 256u) << "no level of a wheel turns";
  }
}

TEST(Rpc, CancelsNinetyNineTimersOfAHundred) {
  const Course course = course_of(rpc(100'000));
  EXPECT_GE(course.inserts, 200'000u);
  EXPECT_EQ(course.calls, 256u);
  EXPECT_NEAR(ratio(course.cancels, course.inserts), 0.992, 0.001);
}

TEST(Rpc, LosesMoreCallsToLimitsThatDiffer) {
  const Course mixed = course_of(rpc_mixed(10'000));
  EXPECT_NEAR(ratio(mixed.expiries, mixed.inserts), 0.060, 0.004);
  const Course wide = course_of(rpc_wide(10'000));
  EXPECT_NEAR(ratio(wide.expiries, wide.inserts), 0.284, 0.01);
}

/// The least and the greatest delay of all timers after the first thousand.
std::pair<Tick, Tick> delays_of(const Schedule& schedule) {
  std::pair<Tick, Tick> delays{~Tick{0}, 0};
  Tick now = 0;
  std::size_t inserts = 0;
  for (const Step& step : schedule.steps) {
    if (step.verb() == Step::Verb::expire) now = step.tick;
    if (step.verb() != Step::Verb::insert || ++inserts <= 1'000) continue;
    delays.first = std::min(delays.first, step.tick - now);
    delays.second = std::max(delays.second, step.tick - now);
  }
  return delays;
}

TEST(Rpc, HasLimitsOfASecondOrFromTenMillisecondsOrUpToAMinute) {
  const auto [least_same, most_same] = delays_of(rpc(10'000));
  EXPECT_GE(least_same, 1'000u);
  EXPECT_LE(most_same, 1'001u);
  const auto [least_mixed, most_mixed] = delays_of(rpc_mixed(10'000));
  EXPECT_LE(least_mixed, 11u);
  EXPECT_NEAR(static_cast<double>(most_mixed), 1'000, 2);
  const auto [least_wide, most_wide] = delays_of(rpc_wide(10'000));
  EXPECT_LE(least_wide, 2u);
  EXPECT_GT(most_wide, 59'000u);
}

TEST(Rpc, IsMeasuredWhenWhatWasCancelledComesDue) {
  const Schedule schedule = rpc(1'000);
  const Step& begin = schedule.steps.at(schedule.measured_begin);
  const auto due_then = [&](const Step& step) {
    return step.verb() == Step::Verb::insert && step.tick == begin.tick;
  };
  const auto due = std::ranges::count_if(schedule.steps, due_then);
  EXPECT_NEAR(static_cast<double>(due), 14.8, 12);
}

TEST(Tcp, HasTwoRearmsAndOneCancelForThreeInserts) {
  const Course course = course_of(tcp(3'000));
  EXPECT_NEAR(ratio(course.rearms, course.inserts), 2.0 / 3, 0.01);
  EXPECT_NEAR(ratio(course.cancels, course.inserts), 1.0 / 3, 0.01);
  EXPECT_NEAR(ratio(course.expiries, course.inserts), 2.0 / 3, 0.01);
}

TEST(Retry, LetsAllTimersExpire) {
  const Course course = course_of(retry(1'000));
  EXPECT_EQ(course.cancels, 0u);
  EXPECT_NEAR(ratio(course.expiries, course.inserts), 1, 0.01);
}

TEST(Connections, OnlyPushTheirTimersBack) {
  for (const auto make : {&idle, &raft}) {
    const Course course = course_of(make(1'000, 1));
    EXPECT_GT(course.rearms, 49'000u);
    EXPECT_EQ(course.inserts + course.cancels + course.expiries, 0u);
  }
}

TEST(Bulk, MeasuresOneVerbAlone) {
  for (const auto make : {&insert_growing, &insert_warm}) {
    const Course course = course_of(make(1'000, 1));
    EXPECT_EQ(course.inserts, 1'000u);
    EXPECT_EQ(course.cancels + course.calls, 0u);
  }
  for (const auto make : {&cancel_random, &cancel_oldest_first, &cancel_newest_first}) {
    const Course course = course_of(make(1'000, 1));
    EXPECT_EQ(course.cancels, 1'000u);
    EXPECT_EQ(course.inserts + course.calls, 0u);
  }
  for (const auto make : {&expire_within_a_minute, &expire_within_an_hour, &staircase_dispatch}) {
    const Course course = course_of(make(1'000, 1));
    EXPECT_EQ(course.expiries, 1'000u);
    EXPECT_TRUE(course.tick_by_tick);
    EXPECT_EQ(course.inserts + course.cancels, 0u);
  }
}

TEST(OneTick, RunsAllInOneCall) {
  const Course course = course_of(one_tick(1'000));
  EXPECT_EQ(course.calls, 1u);
  EXPECT_EQ(course.most_expiries, 1'000u);
}

TEST(Edges, AreCrossedInTheMeasuredTicks) {
  const Course course = course_of(edges(1'000));
  EXPECT_EQ(course.expiries, 1'000u);
  EXPECT_EQ(course.calls, 2'048u);
  EXPECT_NEAR(static_cast<double>(course.most_expiries), 167, 40);  // a third of one half
}

TEST(EmptyTicks, RunNothing) {
  const Course course = course_of(empty_ticks(1'000));
  EXPECT_EQ(course.expiries, 0u);
  EXPECT_EQ(course.calls, 100'000u);
}

TEST(Horizons, LastUntilALateQueueHasRunAll) {
  for (const auto make : {&log_uniform, &one_second_and_six_hours}) {
    CoarseWheel<Task> queue;
    std::size_t ran = 0;
    for (const Step& step : make(1'000, 1).steps) {
      if (step.verb() == Step::Verb::insert) {
        queue.insert(step.tick, step.line);
      } else {
        ran += queue.expire(step.tick, [](Tick, Task) {});
      }
    }
    EXPECT_EQ(ran, 1'000u);
  }
}

TEST(LogUniform, ReachesFromAMillisecondToAYear) {
  const Schedule schedule = log_uniform(1'000);
  const std::size_t begin = schedule.measured_begin;
  EXPECT_EQ(schedule.operations_between(begin, schedule.measured_end, 1'000), 1'000u);
  EXPECT_GT(schedule.steps.back().tick, Tick{1} << 34);
  EXPECT_NEAR(static_cast<double>(course_of(schedule).calls), 880, 40);
}

}  // namespace
}  // namespace timers::benches
