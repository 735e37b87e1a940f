// Tests a queue of this project with Timerbench's conformance kit.

#include <gtest/gtest.h>

#include "careless_list.hpp"
#include "silent_list.hpp"
#include "sorted_list.hpp"
#include "tests/conformance/queues/queue_conformance.hpp"

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  timers::conformance::register_queue<foreign::SortedList<timers::conformance::ProbeTask>>();
  timers::conformance::register_queue<foreign::CarelessList<timers::conformance::ProbeTask>>();
  timers::conformance::register_queue<foreign::SilentList<timers::conformance::ProbeTask>>();
  return RUN_ALL_TESTS();
}
