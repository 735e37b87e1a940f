#include "benches/harness/contest.hpp"

#include <benchmark/benchmark.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "benches/harness/benchmarks.hpp"

namespace timers::benches {
namespace {

/// Ignores all reports: the contestants themselves record what they did.
class Deaf final : public benchmark::BenchmarkReporter {
 public:
  bool ReportContext(const Context&) override { return true; }
  void ReportRuns(const std::vector<Run>& report) override { runs += report.size(); }
  std::size_t runs = 0;
};

/// What the contestants did, in the order of their turns, and the time that they took.
struct Diary {
  std::vector<std::string> turns;
  std::vector<std::string> reports;
  double now = 0;  // seconds
};

class Writer final : public Contestant {
 public:
  Writer(Diary& diary, std::string name) : diary_(diary), name_(std::move(name)) {}

  void take_turn(std::size_t pass, std::size_t turn) override {
    diary_.turns.push_back(name_ + std::to_string(pass) + std::to_string(turn));
    diary_.now += seconds_of(pass);
    if (name_ == "wrong") throw std::runtime_error("it is wrong");
  }
  void report(benchmark::State& state) const override {
    diary_.reports.push_back(name_);
    state.SetIterationTime(1);
  }

 private:
  double seconds_of(std::size_t pass) const {
    if (name_ == "busy") return 50e-6;
    if (name_ == "slow") return 150e-3;
    if (name_ == "stalled" && pass == 0) return 30e-3;
    return 10e-6;
  }

  Diary& diary_;
  std::string name_;
};

class ContestTest : public testing::Test {
 protected:
  ~ContestTest() override { benchmark::ClearRegisteredBenchmarks(); }

  void add(const std::string& name) {
    contest_->add("bench/" + name + "/case",
                  [this, name] { return std::make_unique<Writer>(diary_, name); });
  }

  std::size_t turns_of(const std::string& name) const {
    return static_cast<std::size_t>(
        std::count_if(diary_.turns.begin(), diary_.turns.end(),
                      [&](const std::string& turn) { return turn.starts_with(name); }));
  }

  int run(double seconds = 0) { return run_selected(seconds, &reporter_); }

  Diary diary_;
  Deaf reporter_;
  std::shared_ptr<Contest> contest_ =
      std::make_shared<Contest>([this] { return extent_; }, [this] { return diary_.now; });
  Extent extent_{.turns = 2, .least_passes = 3};
};

TEST_F(ContestTest, LetsAllTakeEachTurnBeforeTheNext) {
  for (const char* name : {"a", "b", "c"}) add(name);
  EXPECT_EQ(run(), 0);
  ASSERT_GE(diary_.turns.size(), 3u * 3 * 2);
  for (std::size_t i = 0; i < diary_.turns.size(); i += 3) {
    const std::string turn = diary_.turns[i].substr(1);
    std::string names;
    for (std::size_t j = i; j < i + 3; ++j) {
      EXPECT_EQ(diary_.turns[j].substr(1), turn);
      names += diary_.turns[j][0];
    }
    std::sort(names.begin(), names.end());
    EXPECT_EQ(names, "abc");
  }
}

TEST_F(ContestTest, DrawsTheOrderAnew) {
  for (const char* name : {"a", "b", "c", "d", "e"}) add(name);
  std::vector<std::string> orders;
  for (int i = 0; i < 3; ++i) {
    diary_.turns.clear();
    EXPECT_EQ(run(), 0);
    for (std::size_t turn = 0; turn + 5 <= 30; turn += 5) {
      std::string order;
      for (std::size_t j = 0; j < 5; ++j) order += diary_.turns[turn + j][0];
      orders.push_back(order);
    }
  }
  std::sort(orders.begin(), orders.end());
  EXPECT_GT(std::unique(orders.begin(), orders.end()) - orders.begin(), 5);
}

TEST_F(ContestTest, GoesOnWithoutAContestantThatIsFarBehind) {
  add("a");
  add("slow");
  EXPECT_EQ(run(), 0);
  EXPECT_EQ(turns_of("slow"), 1u * 2);
  EXPECT_EQ(turns_of("a"), 3u * 2);
  EXPECT_EQ(diary_.reports, (std::vector<std::string>{"a", "slow"}));
}

TEST_F(ContestTest, KeepsWhoWasBehindForAStall) {
  add("a");
  add("stalled");
  EXPECT_EQ(run(), 0);
  EXPECT_EQ(turns_of("stalled"), 3u * 2);
}

TEST_F(ContestTest, LetsGoWhoHasSpentTwiceItsShare) {
  for (const char* name : {"x", "y", "z", "busy"}) add(name);
  EXPECT_EQ(run(0.05), 0);
  // Twice its share is 25 ms. After it, the others spend 50 ms together.
  EXPECT_NEAR(static_cast<double>(turns_of("busy")), 25e-3 / 50e-6, 2);
  for (const char* name : {"x", "y", "z"}) {
    EXPECT_NEAR(static_cast<double>(turns_of(name)), 50e-3 / 3 / 10e-6, 2);
  }
}

TEST_F(ContestTest, EndsWhenAllHaveSpentTheirShares) {
  add("busy");
  EXPECT_EQ(run(0.01), 0);
  EXPECT_NEAR(static_cast<double>(turns_of("busy")), 10e-3 / 50e-6, 2);
}

TEST_F(ContestTest, ReportsEachContestantOnce) {
  add("a");
  add("b");
  EXPECT_EQ(run(), 0);
  EXPECT_EQ(diary_.reports, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(reporter_.runs, 2u);
}

TEST_F(ContestTest, GoesOnWithoutAContestantThatIsWrong) {
  add("a");
  add("wrong");
  EXPECT_NE(run(), 0);
  EXPECT_EQ(turns_of("wrong"), 1u);
  EXPECT_GE(turns_of("a"), 6u);
  EXPECT_EQ(diary_.reports, std::vector<std::string>{"a"});
}

}  // namespace
}  // namespace timers::benches
