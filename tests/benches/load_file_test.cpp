#include "benches/workloads/load_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "benches/workloads/load.hpp"

namespace timers::benches {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

/// A file that is removed at the end of the test.
class LoadFile : public testing::Test {
 protected:
  LoadFile()
      : path_(std::filesystem::path(testing::TempDir()) /
              (std::string("load_file_test_") +
               testing::UnitTest::GetInstance()->current_test_info()->name() + ".json")) {}
  ~LoadFile() override { std::filesystem::remove(path_); }

  const std::filesystem::path& holding(const std::string& text) {
    std::ofstream(path_) << text;
    return path_;
  }
  std::string error_of(const std::filesystem::path& path) {
    try {
      read_load(path);
    } catch (const LoadError& error) {
      return error.what();
    }
    return "none";
  }

 private:
  std::filesystem::path path_;
};

TEST_F(LoadFile, IsReadAsItWasWritten) {
  const Load load = read_load(holding(R"({
    "form": "timerbench load 1", "tick_ms": 0.5,
    "connections": [{"pending": 200000, "rearms_a_second": 50000, "limit_s": 60}],
    "calls": [{"a_second": 10000, "limit_s": 5, "cancelled_percent": 99, "answer_ms": 7}],
    "periodic": [{"timers": 3, "period_s": 2}, {"timers": 4, "period_s": 0.5}],
    "bursts": [{"timers": 11, "period_s": 1}]})"));
  EXPECT_EQ(tick_ns_of(load), 500'000);
  ASSERT_EQ(load.connections.size(), 1u);
  EXPECT_EQ(load.connections[0].pending, 200'000);
  EXPECT_EQ(load.connections[0].rearms_a_second, 50'000);
  EXPECT_EQ(load.connections[0].limit_s, 60);
  ASSERT_EQ(load.calls.size(), 1u);
  EXPECT_EQ(load.calls[0].a_second, 10'000);
  EXPECT_EQ(load.calls[0].limit_s, 5);
  EXPECT_EQ(load.calls[0].cancelled_percent, 99);
  EXPECT_EQ(load.calls[0].answer_ms, 7);
  ASSERT_EQ(load.periodic.size(), 2u);
  EXPECT_EQ(load.periodic[1].timers, 4);
  EXPECT_EQ(load.periodic[1].period_s, 0.5);
  ASSERT_EQ(load.bursts.size(), 1u);
  EXPECT_EQ(load.bursts[0].timers, 11);
  EXPECT_EQ(shortest_delay_s(load), 0.5);
}

TEST_F(LoadFile, MayLeaveOutWhatIsUsual) {
  const Load load = read_load(holding(R"({"form": "timerbench load 1",
    "connections": [{"pending": 5}],
    "calls": [{"a_second": 1, "limit_s": 1, "cancelled_percent": 50}]})"));
  EXPECT_EQ(load.tick_ms, 1);
  EXPECT_EQ(load.connections[0].rearms_a_second, 0);
  EXPECT_EQ(load.connections[0].limit_s, 3'600);
  EXPECT_EQ(load.calls[0].answer_ms, 20);
}

/// The tests of scripts/choose.py use the same file.
TEST_F(LoadFile, IsRefusedInALineThatNamesWhatIsWrong) {
  std::ifstream file(TIMERBENCH_SOURCE_DIR "/tests/benches/loads.json");
  int right = 0;
  int wrong = 0;
  for (const auto& one : nlohmann::json::parse(file)) {
    const std::filesystem::path& path = holding(one["load"].dump());
    const std::string error = error_of(path);
    if (one.contains("wrong")) {
      EXPECT_THAT(error, StartsWith(path.string() + ": " + one["wrong"].get<std::string>()));
      EXPECT_THAT(error, Not(HasSubstr("\n")));
      ++wrong;
    } else {
      EXPECT_EQ(error, "none") << one.dump();
      ++right;
    }
  }
  EXPECT_GE(right, 2);
  EXPECT_GE(wrong, 20);
}

TEST_F(LoadFile, ThatIsNoJsonOrIsNotThereIsRefused) {
  EXPECT_THAT(error_of(holding("[1, 2")), HasSubstr("is not JSON"));
  EXPECT_THAT(error_of(holding("")), HasSubstr("is not JSON"));
  EXPECT_THAT(error_of("/no/such/load.json"), HasSubstr("cannot be read"));
}

}  // namespace
}  // namespace timers::benches
