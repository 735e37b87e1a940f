#pragma once

/// The conformance kit for timer services: every behaviour of the contract as a test, for any
/// service.
///
/// To test a service of your own, link `timerbench::service_conformance` and write one file:
///
///     #include "my_timer.hpp"   // template <timers::Clock ClockType> class MyTimer
///     #include "tests/conformance/services/service_conformance.hpp"
///
///     int main(int argc, char** argv) {
///       testing::InitGoogleTest(&argc, argv);
///       timers::service_conformance::register_service<MyTimer<timers::ManualClock>>();
///       return RUN_ALL_TESTS();
///     }
///
/// A test is named `service_conformance/my_timer.NeverStartsATaskEarly`, for example: the name is a
/// sentence about the service. `--gtest_filter` selects tests by their names. The tests run on a
/// ManualClock, and so take no time. They make the service as `MyTimer(clock, options)`, or as
/// `MyTimer(clock)` if it has no options. A test finds out which options the service has, and reads
/// the promises that it declares (see impls/timer_service.hpp). If the test needs more than the
/// service offers, it is skipped and says what the service lacks. A test can hang because a thread
/// of the service never comes to rest, or because the service waits for itself. Then the program
/// says which test hung, and restarts: then that test fails at once, and all others run.

#include <gtest/gtest.h>

#include <concepts>
#include <string_view>

#include "impls/clocks/clock.hpp"
#include "impls/timer_service.hpp"
#include "tests/conformance/services/any_service.hpp"

namespace timers::service_conformance {

/// Registers every test of the kit for services of this kind, in the suite
/// `service_conformance/<its name>`. Call it before RUN_ALL_TESTS, once for each name.
void register_kind(const ServiceKind& kind);

/// Registers every test for `Service`. If two types have the same name, give one of them another
/// name here.
template <TimerService Service>
void register_service(std::string_view name = Service::name) {
  static_assert(!std::copyable<Service>, "a service has threads, and cannot be copied");
  ServiceKind kind = kind_of<Service>();
  kind.name = name;
  register_kind(kind);
}

}  // namespace timers::service_conformance
