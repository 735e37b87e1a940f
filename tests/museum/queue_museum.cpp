// Tests the queues of the museum, and their control, with the kit. The driver chooses what runs.

#include <gtest/gtest.h>

#include "tests/museum/exhibits.hpp"
#include "tests/museum/queue_exhibit.hpp"

int main(int argc, char** argv) {
  using namespace timers;
  testing::InitGoogleTest(&argc, argv);
  conformance::register_queue<museum::RightQueueWithTime>("control");
  for (const auto& enter : museum::exhibits()) enter();
  return RUN_ALL_TESTS();
}
