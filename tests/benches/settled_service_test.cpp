/// A service at rest must report the timers that are pending in it; otherwise it is rejected.

#include "benches/harness/services/settled_service.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <stdexcept>
#include <vector>

#include "impls/catalog.hpp"

namespace timers::benches {
namespace {

using namespace std::chrono_literals;

TEST(RestingService, HasAllItsThreadsWhenSomeTimersHaveRun) {
  SteadyClock clock;
  ScheduledThreadPool pool(clock, {.threads = 3});
  pool.schedule(1h, [] {});
  run_some(pool);
  EXPECT_EQ(pool.pool_size(), 3U);
  stop_with_pending(pool, 1);
}

/// Says that one timer is pending. `stop` returns `returned` tasks.
struct Shows {
  std::size_t pending() const { return 1; }
  std::vector<TimerTask> stop() const { return std::vector<TimerTask>(returned); }

  std::size_t returned;
};

TEST(RestingService, IsRefusedIfAnotherNumberIsPending) {
  Shows shows{1};
  EXPECT_NO_THROW(stop_with_pending(shows, 1));
  EXPECT_THROW(stop_with_pending(shows, 2), std::runtime_error);
}

TEST(RestingService, IsRefusedIfAnotherNumberComesBack) {
  Shows shows{0};
  EXPECT_THROW(stop_with_pending(shows, 1), std::runtime_error);
  EXPECT_THROW(stop_with_pending(shows, 0), std::runtime_error);
}

}  // namespace
}  // namespace timers::benches
