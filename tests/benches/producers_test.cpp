/// Producers share the calls, make them at the same time, and stay the same threads.

#include "benches/harness/services/producers.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <latch>
#include <thread>
#include <vector>

#include "impls/clocks/clock.hpp"

namespace timers::benches {
namespace {

TEST(Part, IsSharedWithoutAGapOrAnOverlap) {
  const Part part{100, 117};
  std::size_t next = part.first;
  for (std::size_t sharer = 0; sharer < 5; ++sharer) {
    const Part share = part.share(sharer, 5);
    EXPECT_EQ(share.first, next);
    EXPECT_GE(share.size(), 3U);
    EXPECT_LE(share.size(), 4U);
    next = share.end;
  }
  EXPECT_EQ(next, part.end);
}

TEST(Producers, RunTheirBodyOnceEachTime) {
  SteadyClock clock;
  Producers producers(clock, 3);
  std::vector<int> runs(3);
  for (int i = 0; i < 5; ++i) producers.run([&](std::size_t producer) { ++runs[producer]; });
  EXPECT_EQ(runs, std::vector({5, 5, 5}));
}

TEST(Producers, AreTheSameThreadsEachTime) {
  SteadyClock clock;
  Producers producers(clock, 2);
  std::vector<std::vector<std::thread::id>> ids(2, std::vector<std::thread::id>(2));
  for (auto& of_run : ids) {
    producers.run([&](std::size_t producer) { of_run[producer] = std::this_thread::get_id(); });
  }
  EXPECT_EQ(ids[0], ids[1]);
  EXPECT_NE(ids[0][0], ids[0][1]);
  EXPECT_NE(ids[0][0], std::this_thread::get_id());
}

TEST(Producers, AreAtWorkAtOnce) {
  SteadyClock clock;
  Producers producers(clock, 4);
  std::latch all(4);
  producers.run([&](std::size_t) { all.arrive_and_wait(); });
  EXPECT_TRUE(all.try_wait());
}

/// Time that stands still, except when some thread works.
class WorkTime {
 public:
  Instant now() const { return Instant(Duration(ns_.load())); }
  void work(Duration duration) { ns_.fetch_add(duration.count()); }

 private:
  std::atomic<Duration::rep> ns_ = 0;
};

TEST(Producers, TellFromWhenToWhenTheyWorked) {
  WorkTime time;
  Producers producers(time, 1);
  time.work(std::chrono::nanoseconds(7));
  const Stint stint = producers.run([&](std::size_t) { time.work(std::chrono::seconds(1)); })[0];
  EXPECT_EQ(stint.begin, Instant(std::chrono::nanoseconds(7)));
  EXPECT_EQ(stint.end - stint.begin, std::chrono::seconds(1));
}

TEST(Producers, TellWhatProcessorTimeTheyTook) {
  constexpr double kSeconds = 0.02;
  SteadyClock clock;
  Producers producers(clock, 2);
  const double before = producers.processor_seconds();
  const auto& stints = producers.run([](std::size_t) {
    const double end = thread_seconds() + kSeconds;
    while (thread_seconds() < end) {
    }
  });
  for (const Stint& stint : stints) {
    EXPECT_GE(stint.processor_seconds, kSeconds);
    EXPECT_LT(stint.processor_seconds, 1.5 * kSeconds);
  }
  EXPECT_GE(producers.processor_seconds() - before, 2 * kSeconds);
}

TEST(Producers, MayBeNone) {
  SteadyClock clock;
  Producers producers(clock, 0);
  EXPECT_TRUE(producers.run([](std::size_t) { FAIL(); }).empty());
}

}  // namespace
}  // namespace timers::benches
