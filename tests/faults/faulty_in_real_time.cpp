// One service for the kit on real time. Its header is the copy with the planted fault: that copy
// comes first on the include path.

#include FAULTY_HEADER

#include <gtest/gtest.h>

#include "impls/clocks/clock.hpp"
#include "impls/queues/lazy_wheel.hpp"
#include "tests/services/on_its_clock.hpp"

int main(int argc, char** argv) {
  using namespace timers;
  testing::InitGoogleTest(&argc, argv);
  register_on_its_clock<FAULTY_SERVICE>("faulty");
  return RUN_ALL_TESTS();
}
