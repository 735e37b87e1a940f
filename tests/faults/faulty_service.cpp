// One service under the whole kit. Its header is the copy into which a fault was planted: that copy
// comes first on the include path.

#include FAULTY_HEADER

#include <gtest/gtest.h>

#include "impls/clocks/clock.hpp"
#include "impls/queues/hierarchical_wheel.hpp"
#include "impls/queues/min_heap.hpp"
#include "tests/conformance/services/service_conformance.hpp"

int main(int argc, char** argv) {
  using namespace timers;
  testing::InitGoogleTest(&argc, argv);
  service_conformance::register_service<FAULTY_SERVICE>("faulty");
  return RUN_ALL_TESTS();
}
