/// A child process leaves nothing behind except its result.

#include "benches/harness/child_process.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <stdexcept>
#include <string>

namespace timers::benches {
namespace {

template <class Body>
std::string objection_to(Body body) {
  try {
    in_child_process(body);
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "";
}

TEST(ChildProcess, ReturnsTheResultAndNothingElse) {
  int outside = 1;
  const int result = in_child_process([&] {
    outside = 2;
    return outside + 40;
  });
  EXPECT_EQ(result, 42);
  EXPECT_EQ(outside, 1);
}

TEST(ChildProcess, SaysWhatItsBodyThrows) {
  EXPECT_EQ(objection_to([]() -> int { throw std::runtime_error("a timer was lost"); }),
            "a timer was lost");
}

TEST(ChildProcess, IsAnErrorIfItDies) {
  EXPECT_EQ(objection_to([]() -> int {
              std::raise(SIGKILL);
              return 0;
            }),
            "a process ended early, with status 9");
}

TEST(ChildProcess, GoesOnWhenItStandsStill) {
  int stops = 0;
  const auto send_on = [&](pid_t child) {
    ++stops;
    kill(child, SIGCONT);
  };
  const int result = in_child_process(
      [] {
        std::raise(SIGSTOP);
        return 7;
      },
      send_on);
  EXPECT_EQ(result, 7);
  EXPECT_EQ(stops, 1);
}

}  // namespace
}  // namespace timers::benches
