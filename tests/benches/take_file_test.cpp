#include <gtest/gtest.h>

#include <array>
#include <optional>
#include <string>
#include <utility>

#include "benches/harness/benchmarks.hpp"
#include "benches/workloads/played_file.hpp"

namespace timers::benches {
namespace {

/// What is returned and printed for a flag.
struct Answer {
  std::optional<std::string> file;
  std::string printed;
  int left;  // number of arguments that are left
};

Answer answer_to(std::string flag) {
  std::string program = "/build/load";
  std::array<char*, 3> arguments{program.data(), flag.data(), nullptr};
  int count = 2;
  testing::internal::CaptureStderr();
  auto file = take_file(count, arguments.data(), "--load=", fault_of_file);
  return {std::move(file), testing::internal::GetCapturedStderr(), count};
}

TEST(TakeFile, TakesItOutOfTheCommandLine) {
  const std::string small = TIMERBENCH_SOURCE_DIR "/tests/benches/small_load.json";
  const Answer answer = answer_to("--load=" + small);
  EXPECT_EQ(answer.file, small);
  EXPECT_EQ(answer.printed, "");
  EXPECT_EQ(answer.left, 1);
}

TEST(TakeFile, AsksForNone) {
  const Answer answer = answer_to("--benchmark_list_tests");
  EXPECT_EQ(answer.file, "");
  EXPECT_EQ(answer.left, 2);
}

TEST(TakeFile, RefusesABadOneInOneLine) {
  const Answer answer = answer_to("--load=/no/such.json");
  EXPECT_EQ(answer.file, std::nullopt);
  EXPECT_EQ(answer.printed.substr(0, 6), "load: ");
  EXPECT_NE(answer.printed.find("/no/such.json"), std::string::npos);
  EXPECT_EQ(answer.printed.find('\n'), answer.printed.size() - 1);
}

}  // namespace
}  // namespace timers::benches
