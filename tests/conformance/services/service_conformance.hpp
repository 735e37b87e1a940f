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
/// The tests come out as `service_conformance/my_timer.NeverStartsATaskEarly`: a sentence about the
/// service, to be chosen with --gtest_filter. They run on a ManualClock, and so in no time. They
/// make the service by `MyTimer(clock, options)`, or `MyTimer(clock)` if it has no options, know it
/// by its options, which they find, and its promises, which it declares (see
/// impls/timer_service.hpp); a test that needs more than the service offers is skipped and says
/// what it missed. If a test hangs, because the service keeps a thread from coming to rest or waits
/// for itself, the program ends, and says which test it was.

#include <gtest/gtest.h>

#include <concepts>
#include <string_view>

#include "impls/clocks/clock.hpp"
#include "impls/timer_service.hpp"
#include "tests/conformance/services/any_service.hpp"

namespace timers::service_conformance {

/// Registers every test of the kit for services of this kind, in the suite
/// `service_conformance/<its name>`. To be called before RUN_ALL_TESTS, once for each name.
void register_kind(const ServiceKind& kind);

/// Registers every test for `Service`. Types that share a name are told apart by a name given here.
template <TimerService Service>
void register_service(std::string_view name = Service::name) {
  static_assert(!std::copyable<Service>, "a service has threads, and cannot be copied");
  ServiceKind kind = kind_of<Service>();
  kind.name = name;
  register_kind(kind);
}

}  // namespace timers::service_conformance
