// Tests the services of the museum that need threads and a real clock, and their control, with the
// kit. The driver chooses what runs.

#include <gtest/gtest.h>

#include "tests/museum/exhibits.hpp"
#include "tests/museum/real_time_exhibit.hpp"

int main(int argc, char** argv) {
  using namespace timers;
  testing::InitGoogleTest(&argc, argv);
  museum::register_in_real_time<museum::RightTimer>("control");
  museum::register_in_real_time<museum::RearmingRightTimer>("rearming_control");
  for (const auto& enter : museum::exhibits()) enter();
  return RUN_ALL_TESTS();
}
