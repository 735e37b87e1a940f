#include "impls/peers/virtual_clock.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <ctime>
#include <thread>

namespace timers {
namespace {

timespec read(clockid_t clock) {
  timespec time{};
  EXPECT_EQ(clock_gettime(clock, &time), 0);
  return time;
}

TEST(VirtualClock, IsWhatItsThreadReadsOfEveryClock) {
  const VirtualClock clock({.tv_sec = 12, .tv_nsec = 34});
  for (const clockid_t id : {CLOCK_REALTIME, CLOCK_MONOTONIC, CLOCK_MONOTONIC_COARSE}) {
    EXPECT_EQ(read(id).tv_sec, 12);
    EXPECT_EQ(read(id).tv_nsec, 34);
  }
}

TEST(VirtualClock, ComesBackWhenALaterOneEnds) {
  const VirtualClock clock({.tv_sec = 12, .tv_nsec = 34});
  { const VirtualClock later({.tv_sec = 56, .tv_nsec = 78}); }
  EXPECT_EQ(read(CLOCK_MONOTONIC).tv_sec, 12);
}

TEST(VirtualClock, LeavesTheRealTimeToOtherThreads) {
  const VirtualClock clock({.tv_sec = 0, .tv_nsec = 0});
  timespec time{};
  std::thread([&time] { time = read(CLOCK_REALTIME); }).join();
  EXPECT_GT(time.tv_sec, 1'000'000'000);
}

TEST(VirtualClock, GivesTheRealTimeBackWhenItEnds) {
  { const VirtualClock clock({.tv_sec = 0, .tv_nsec = 0}); }
  EXPECT_GT(read(CLOCK_REALTIME).tv_sec, 1'000'000'000);
  const auto before = std::chrono::steady_clock::now();
  std::this_thread::sleep_for(std::chrono::milliseconds(2));
  EXPECT_GE(std::chrono::steady_clock::now() - before, std::chrono::milliseconds(2));
}

}  // namespace
}  // namespace timers
