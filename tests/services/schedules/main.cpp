// Runs every service, or the one into which a fault was planted, in every schedule of some threads.

#include <gtest/gtest.h>

#include "tests/services/schedules/explored_services.hpp"
#include "tests/services/schedules/meeting.hpp"

int main(int argc, char** argv) {
  using namespace timers::schedules;
  testing::InitGoogleTest(&argc, argv);
  for (const ExploredKind& kind : explored_services()) {
    Sentence::register_all("schedules/" + kind.name, kind);
  }
  return RUN_ALL_TESTS();
}
