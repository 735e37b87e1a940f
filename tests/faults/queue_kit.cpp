// The whole kit for queues, applied to the one queue of a program with a fault. It is compiled once
// for all faults.

#include <gtest/gtest.h>

#include "tests/conformance/queues/any_queue.hpp"
#include "tests/conformance/queues/pooled_queue.hpp"
#include "tests/conformance/queues/queue_conformance.hpp"
#include "tests/faults/faulty_queue.hpp"

int main(int argc, char** argv) {
  using namespace timers;
  testing::InitGoogleTest(&argc, argv);
  conformance::QueueKind faulty = faults::faulty_queue();
  faulty.name = "faulty";
  conformance::register_kind(faulty);
  if (faulty.has_staying_timers) conformance::register_kind(conformance::pooled(faulty));
  return RUN_ALL_TESTS();
}
