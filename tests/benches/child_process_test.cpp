#include "benches/harness/child_process.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <stdexcept>
#include <string>

namespace timers::benches {
namespace {

template <class Body>
std::string failure_of(const Body& body) {
  try {
    in_child_process(body);
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return {};
}

TEST(ChildProcess, ReturnsWhatItsBodyReturns) {
  int there = 1;
  EXPECT_EQ(in_child_process([&] { return ++there; }), 2);
  EXPECT_EQ(in_child_process([&] { return ++there; }), 2) << "the parent's memory was changed";
  EXPECT_NE(in_child_process([] { return getpid(); }), getpid());
}

TEST(ChildProcess, ThrowsWhatItsBodyThrows) {
  const auto body = [](const std::string& reason) {
    return [reason]() -> int { throw std::runtime_error(reason); };
  };
  EXPECT_EQ(failure_of(body("too early")), "too early");
  EXPECT_EQ(failure_of(body("")), "a process ended early, with status 0");
  EXPECT_EQ(failure_of(body(std::string(1'000, 'x'))), std::string(511, 'x'));
}

TEST(ChildProcess, IsAnErrorIfItEndsBeforeItsBody) {
  const auto body = []() -> int { _exit(3); };
  EXPECT_EQ(failure_of(body), "a process ended early, with status 768");
}

}  // namespace
}  // namespace timers::benches
