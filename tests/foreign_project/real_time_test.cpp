// Tests services of this project as they are, on the real clock.

#include <gtest/gtest.h>

#include <memory>

#include "forgetful_timer.hpp"
#include "std_timer.hpp"
#include "tests/conformance/real_time/real_time_conformance.hpp"

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  timers::real_time::register_service("std_timer",
                                      [] { return std::make_unique<foreign::StdTimer>(); });
  timers::real_time::register_service("forgetful_timer",
                                      [] { return std::make_unique<foreign::ForgetfulTimer>(); });
  return RUN_ALL_TESTS();
}
