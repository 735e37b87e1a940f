/// A stopped process stands still as a whole, continues, and returns its result.

#include "benches/harness/services/stopped_process.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <stdexcept>
#include <string>
#include <thread>

namespace timers::benches {
namespace {

using namespace std::chrono_literals;

Instant now() { return std::chrono::steady_clock::now(); }

TEST(StoppedProcess, StandsStillForThePause) {
  struct Times {
    Instant stopped;
    Instant sent_on;
    Instant went_on;
  };
  const Times times = in_process_that_stops(100ms, [](const Stop& stop) {
    const Instant stopped = now();
    const Instant sent_on = stop();
    return Times{stopped, sent_on, now()};
  });
  EXPECT_GE(times.sent_on - times.stopped, 100ms);
  EXPECT_GE(times.went_on, times.sent_on);
}

TEST(StoppedProcess, StandsStillWithAllItsThreads) {
  const Duration longest_gap = in_process_that_stops(100ms, [](const Stop& stop) {
    std::atomic<bool> is_watched = false;
    std::atomic<bool> is_over = false;
    Duration longest{};
    std::jthread watch([&] {
      Instant last = now();
      for (bool ends = false; !ends;) {
        is_watched = true;
        ends = is_over;  // and reads the clock once more
        const Instant next = now();
        longest = std::max(longest, next - last);
        last = next;
      }
    });
    while (!is_watched) std::this_thread::yield();
    stop();
    is_over = true;
    watch.join();
    return longest;
  });
  EXPECT_GE(longest_gap, 100ms);
}

TEST(StoppedProcess, MayBeStoppedByAnyThreadAndMoreThanOnce) {
  const int stops = in_process_that_stops(1ms, [](const Stop& stop) {
    int count = 0;
    for (int i = 0; i < 3; ++i) {
      std::jthread([&] {
        stop();
        ++count;
      }).join();
    }
    return count;
  });
  EXPECT_EQ(stops, 3);
}

/// The complaint about a body that never returns.
template <class Body>
std::string objection_to(Body body) {
  try {
    in_process_that_stops(1ms, body);
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "";
}

TEST(StoppedProcess, SaysWhatItsBodyThrows) {
  EXPECT_EQ(objection_to([](const Stop&) -> int { throw std::runtime_error("a timer was lost"); }),
            "a timer was lost");
}

TEST(StoppedProcess, IsAnErrorIfItEndsByItself) {
  EXPECT_EQ(objection_to([](const Stop&) -> int { _exit(1); }),
            "a process ended early, with status 256");
}

}  // namespace
}  // namespace timers::benches
