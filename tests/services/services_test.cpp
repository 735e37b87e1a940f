/// Tests every service of the catalog against the contract: runs the conformance kit on them.

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <utility>

#include "impls/catalog.hpp"
#include "impls/clocks/clock.hpp"
#include "impls/services/hashed_wheel_timer.hpp"
#include "tests/conformance/services/any_service.hpp"
#include "tests/conformance/services/promises.hpp"
#include "tests/conformance/services/service_conformance.hpp"
#include "tests/services/all_services.hpp"
#include "tests/services/plain_timer.hpp"
#include "tests/services/with_periods.hpp"

namespace timers {
namespace {

using namespace std::chrono_literals;

/// It starts tasks as late as it may: a whole tick late, if the deadline is on a tick. The kit must
/// not ask for more.
struct LateWheelTimer : HashedWheelTimer<ManualClock> {
  static constexpr const char* name = "late_wheel_timer";

  explicit LateWheelTimer(ManualClock& clock, Options options = {})
      : HashedWheelTimer(clock, past_tick(std::move(options))) {}

 private:
  static Options past_tick(Options options) {
    options.rounding = Options::Rounding::past_tick;
    return options;
  }
};

TEST(Catalog, EachServicePromisesWhatItMust) {
  int services = 0;
  for_each_type(TimerServices<ManualClock>{}, [&]<class Service>() {
    ++services;
    SCOPED_TRACE(Service::name);
    EXPECT_TRUE(service_conformance::at_least_as_strong(service_promises_of<Service>(),
                                                        kServiceMustPromise<Service>));
    EXPECT_TRUE(service_conformance::TellsErrors<Service>);
    ManualClock clock;
    EXPECT_LE(Service(clock).max_lateness(), kServiceMayBeLate<Service>);
  });
  EXPECT_GT(services, 0);
}

TEST(Catalog, EachServiceRunsATimerOnAClockThatBeganLongAgo) {
  int services = 0;
  for (const auto& kind : all_services<ManualClock>()) {
    if (service_conformance::wakes_for_each_tick(kind.promises)) continue;
    SCOPED_TRACE(kind.name);
    ManualClock clock(Instant::min());
    std::atomic<bool> has_run = false;
    const auto service = kind.make(clock);
    clock.advance_to(Instant(1h));  // It is further from its beginning than a Duration can tell.
    service->schedule(1s, [&] { has_run = true; });
    clock.advance_by(1s - 1ns);
    EXPECT_FALSE(has_run);
    clock.run_for(service->max_lateness() + 1ns);
    EXPECT_TRUE(has_run);
    ++services;
  }
  EXPECT_GT(services, 0);
}

}  // namespace
}  // namespace timers

int main(int argc, char** argv) {
  using timers::ManualClock;
  testing::InitGoogleTest(&argc, argv);
  for (const auto& kind : timers::all_services<ManualClock>()) {
    timers::service_conformance::register_kind(kind);
  }
  using Plain = timers::PlainTimer<ManualClock>;
  timers::service_conformance::register_service<Plain>();
  timers::service_conformance::register_service<
      timers::WithPeriods<Plain, ManualClock, timers::CatchUp::burst>>();
  timers::service_conformance::register_service<
      timers::WithPeriods<timers::LateWheelTimer, ManualClock, timers::CatchUp::coalesce>>();
  return RUN_ALL_TESTS();
}
