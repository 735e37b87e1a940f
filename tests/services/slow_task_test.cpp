/// What a slow task does to other tasks: tasks on the same thread begin later, and none is lost.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <vector>

#include "impls/clocks/clock.hpp"
#include "impls/services/hashed_wheel_timer.hpp"
#include "impls/services/simple_wheel_timer.hpp"
#include "tests/conformance/services/any_service.hpp"
#include "tests/services/all_services.hpp"
#include "tests/services/hashed_wheels.hpp"
#include "tests/services/run_log.hpp"

namespace timers {
namespace {

using namespace std::chrono_literals;
using service_conformance::ServiceKind;
using testing::ElementsAre;

class ASlowTask : public testing::TestWithParam<ServiceKind> {};

INSTANTIATE_TEST_SUITE_P(services, ASlowTask, testing::ValuesIn(all_services<ManualClock>()),
                         [](const auto& test) { return test.param.name; });

TEST_P(ASlowTask, DelaysTheOthersIfThereIsOneThread) {
  ManualClock clock;
  RunLog log(clock);
  const auto service = GetParam().make(clock);
  const auto cancelled_at_once = service->schedule(10s, log.task(10));
  service->schedule(1s, log.task(1, [&] { clock.sleep_for(5s); }));
  service->schedule(3s, log.task(3));
  EXPECT_EQ(service->cancel(cancelled_at_once), CancelResult::cancelled);
  clock.run_for(20s);
  const bool has_one_thread = GetParam().promises.serial;
  EXPECT_THAT(log.runs(), ElementsAre(Ran{1, 1s}, Ran{3, has_one_thread ? 6s : 3s}));
}

/// The order and the times of the runs of some timers. The first task sleeps for longer than the
/// other timers wait, and then schedules more timers.
template <class Service>
std::vector<Ran> runs_around_a_slow_task(const typename Service::Options& options) {
  ManualClock clock;
  RunLog log(clock);
  Service service(clock, options);
  service.schedule(150ms, log.task(1, [&] {
    clock.sleep_for(450ms);
    service.schedule(0ms, log.task(4));
    service.schedule(60ms, log.task(5));
  }));
  service.schedule(250ms, log.task(2));
  service.schedule(420ms, log.task(3));
  clock.run_for(2s);
  return log.runs();
}

// B-N-32
TEST(ASlowTaskOnAWheel, DelaysButDoesNotLoseWhatItMakesLate) {
  using Hashed = HashedWheelTimer<ManualClock>;
  using Simple = SimpleWheelTimer<ManualClock>;
  const auto delayed =
      ElementsAre(Ran{1, 200ms}, Ran{2, 650ms}, Ran{3, 650ms}, Ran{4, 700ms}, Ran{5, 800ms});
  EXPECT_THAT(runs_around_a_slow_task<Hashed>(netty()), delayed);
  EXPECT_THAT(runs_around_a_slow_task<Hashed>(kSmallWheel), delayed);
  EXPECT_THAT(runs_around_a_slow_task<Simple>({.tick_duration = 100ms, .buckets = 8}), delayed);
}

}  // namespace
}  // namespace timers
