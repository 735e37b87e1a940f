// The whole kit for services, applied to the one service of a program with a fault. It is compiled
// once for all faults.

#include <gtest/gtest.h>

#include "tests/conformance/services/any_service.hpp"
#include "tests/conformance/services/service_conformance.hpp"
#include "tests/faults/faulty_service.hpp"

int main(int argc, char** argv) {
  using namespace timers;
  testing::InitGoogleTest(&argc, argv);
  service_conformance::ServiceKind faulty = faults::faulty_service();
  faulty.name = "faulty";
  service_conformance::register_kind(faulty);
  return RUN_ALL_TESTS();
}
