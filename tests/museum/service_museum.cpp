// Tests the services of the museum, and their controls, with the kit. The driver chooses what runs.

#include <gtest/gtest.h>

#include "tests/museum/exhibits.hpp"
#include "tests/museum/service_exhibit.hpp"

int main(int argc, char** argv) {
  using namespace timers;
  testing::InitGoogleTest(&argc, argv);
  service_conformance::register_service<museum::RightService>("control");
  service_conformance::register_service<museum::RearmingRightService>("rearming_control");
  service_conformance::register_service<museum::RepeatingRightService>("repeating_control");
  for (const auto& enter : museum::exhibits()) enter();
  return RUN_ALL_TESTS();
}
