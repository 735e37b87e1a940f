/// The processor use of a service's threads is separated from that of the thread that watches.

#include "benches/harness/services/processor_use.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>
#include <vector>

namespace timers::benches {
namespace {

constexpr int kSleeps = 100;

void sleep_often() {
  for (int i = 0; i < kSleeps; ++i) std::this_thread::sleep_for(std::chrono::microseconds(100));
}

constexpr double kSeconds = 0.05;

void compute() {
  const double end = thread_seconds() + kSeconds;
  while (thread_seconds() < end) {
  }
}

template <class Body>
ProcessorUse use_during(Body body) {
  const ProcessorUse before = use_of_other_threads();
  body();
  return use_of_other_threads() - before;
}

template <class Body>
ProcessorUse use_of_a_thread(Body body) {
  return use_during([=] { std::thread(body).join(); });
}

TEST(ProcessorUse, CountsTheSleepsOfAnotherThread) {
  // A sleep that ends before the thread leaves its core does not count as one.
  EXPECT_GT(use_of_a_thread(&sleep_often).voluntary_switches, kSleeps / 2);
}

TEST(ProcessorUse, DoesNotCountTheSleepsOfTheThreadThatWatches) {
  EXPECT_LT(use_during(&sleep_often).voluntary_switches, kSleeps / 2);
}

TEST(ProcessorUse, CountsTheProcessorTimeOfAnotherThread) {
  const double seconds = use_of_a_thread(&compute).seconds;
  EXPECT_GE(seconds, kSeconds);
  EXPECT_LT(seconds, kSeconds * 1.5);
}

TEST(ProcessorUse, DoesNotCountTheProcessorTimeOfTheThreadThatWatches) {
  EXPECT_LT(use_during(&compute).seconds, kSeconds / 2);
}

TEST(ProcessorUse, CountsThreadsThatWereDrivenFromTheirCore) {
  constexpr unsigned kMoreThanCores = 2;
  const ProcessorUse use = use_during([] {
    std::vector<std::jthread> threads;
    const unsigned count = kMoreThanCores * std::thread::hardware_concurrency();
    for (unsigned i = 0; i < count; ++i) threads.emplace_back(&compute);
  });
  EXPECT_GT(use.involuntary_switches, 0);
}

}  // namespace
}  // namespace timers::benches
