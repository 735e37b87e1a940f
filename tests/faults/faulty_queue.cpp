// One queue under the whole kit. Its header is the copy into which a fault was planted: that copy
// comes first on the include path.

#include FAULTY_HEADER

#include <gtest/gtest.h>

#include "tests/conformance/queues/queue_conformance.hpp"

int main(int argc, char** argv) {
  using namespace timers;
  using Task = conformance::ProbeTask;
  testing::InitGoogleTest(&argc, argv);
  conformance::register_queue<FAULTY_QUEUE>("faulty");
  return RUN_ALL_TESTS();
}
