// Tests a timer service of this project with Timerbench's conformance kit.

#include <gtest/gtest.h>

#include "careless_timer.hpp"
#include "impls/clocks/clock.hpp"
#include "list_timer.hpp"
#include "tests/conformance/services/service_conformance.hpp"

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  timers::service_conformance::register_service<foreign::ListTimer<timers::ManualClock>>();
  timers::service_conformance::register_service<foreign::CarelessTimer<timers::ManualClock>>();
  return RUN_ALL_TESTS();
}
