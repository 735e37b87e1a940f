#include "benches/harness/benchmarks.hpp"

#include <benchmark/benchmark.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "benches/harness/queues/queue_benchmarks.hpp"
#include "benches/workloads/schedule.hpp"
#include "impls/catalog.hpp"

namespace timers::benches {
namespace {

/// A queue that forgets its hundredth timer.
class Forgetful {
 public:
  using Task = benches::Task;
  using Handle = OrderedMap<Task>::Handle;
  static constexpr const char* name = "forgetful";

  Handle insert(Tick deadline, Task task) {
    const Handle handle = queue_.insert(deadline, task);
    if (++inserts_ == 100) queue_.cancel(handle);
    return handle;
  }
  bool cancel(Handle handle) { return queue_.cancel(handle); }
  template <class OnExpiry>
  std::size_t expire(Tick now, OnExpiry&& on_expiry) {
    return queue_.expire(now, on_expiry);
  }
  std::size_t size() const { return queue_.size(); }

 private:
  OrderedMap<Task> queue_;
  int inserts_ = 0;
};

std::vector<Schedule> thousand_timers() {
  ScheduleBuilder builder;
  for (std::uint32_t i = 0; i < 1000; ++i) {
    builder.move_time(i);
    builder.insert(i % 10, i + 5, i + 1);
  }
  return {std::move(builder).finish(Operation::insert)};
}

/// Keeps the results that are reported.
class Listener final : public benchmark::BenchmarkReporter {
 public:
  bool ReportContext(const Context&) override { return true; }
  void ReportRuns(const std::vector<Run>& report) override {
    runs.insert(runs.end(), report.begin(), report.end());
  }

  const Run& run_of(const std::string& queue) const {
    const auto is_of_queue = [&](const Run& run) {
      return run.benchmark_name().find("/" + queue + "/") != std::string::npos;
    };
    const auto found = std::find_if(runs.begin(), runs.end(), is_of_queue);
    if (found == runs.end()) throw std::runtime_error("no run of " + queue);
    return *found;
  }

  std::vector<Run> runs;
};

class HarnessTest : public testing::Test {
 protected:
  ~HarnessTest() override {
    benchmark::ClearRegisteredBenchmarks();
    benchmark::SetBenchmarkFilter("");
  }

  template <class... Queues>
  void add(std::function<std::vector<Schedule>()> make) {
    Field field = field_of<AllSteps>(TypeList<Queues...>{});
    add_twins(field, TypeList<OrderedMap<Task>>{});
    add_contest("test", "thousand", std::make_shared<LazyInput>(std::move(make)), field);
  }

  Listener listener_;
};

TEST_F(HarnessTest, ReportsWhatItMeasured) {
  add<OrderedMap<Task>>(&thousand_timers);
  EXPECT_EQ(run_selected(0, &listener_), 0);
  ASSERT_EQ(listener_.runs.size(), 2u);
  const benchmark::BenchmarkReporter::Run& run = listener_.runs.front();
  EXPECT_EQ(run.benchmark_name(), "test/ordered_map/thousand/iterations:1/manual_time");
  EXPECT_FALSE(run.error_occurred);
  EXPECT_EQ(run.counters.at("operations"), 1000);
  EXPECT_EQ(run.counters.at("window_share"), 1);
  const double times = run.counters.at("segments") * run.counters.at("passes");
  if (run.counters.at("interrupted_segments") < times) {  // otherwise it may have no time of its
                                                          // own
    EXPECT_GT(run.counters.at("ns_per_operation"), 0);
  }
  EXPECT_EQ(run.counters.at("insert_calls"), 1000);
  EXPECT_EQ(run.counters.at("expire_calls"), 999);
  EXPECT_GE(run.counters.at("worst_expire_ns"), run.counters.at("p999_expire_ns"));
  EXPECT_GE(run.counters.at("p99_insert_ns"), run.counters.at("p50_insert_ns"));
  EXPECT_EQ(run.counters.count("cancel_calls"), 0u);
}

TEST_F(HarnessTest, MeasuresTwins) {
  add<OrderedMap<Task>>(&thousand_timers);
  EXPECT_EQ(run_selected(0, &listener_), 0);
  EXPECT_EQ(listener_.run_of("ordered_map_twin").counters.at("operations"),
            listener_.run_of("ordered_map").counters.at("operations"));
  EXPECT_GT(listener_.run_of("ordered_map_twin").counters.at("operations"), 0);
}

TEST_F(HarnessTest, FailsInsteadOfMeasuringAWrongQueue) {
  add<OrderedMap<Task>, Forgetful>(&thousand_timers);
  EXPECT_NE(run_selected(0, &listener_), 0);
  EXPECT_TRUE(listener_.run_of("forgetful").error_occurred);
  EXPECT_EQ(listener_.run_of("forgetful").error_message, "999 timers expired, not 1000");
  EXPECT_FALSE(listener_.run_of("ordered_map").error_occurred);
}

TEST_F(HarnessTest, FailsWhenAnInputCannotBeMade) {
  add<OrderedMap<Task>>(
      []() -> std::vector<Schedule> { throw std::runtime_error("there is no input"); });
  EXPECT_NE(run_selected(0, &listener_), 0);
  EXPECT_EQ(listener_.runs.front().error_message, "there is no input");
}

TEST_F(HarnessTest, FailsWhenNothingIsSelected) { EXPECT_NE(run_selected(0, &listener_), 0); }

TEST_F(HarnessTest, MakesAnInputOnlyWhenItIsAskedFor) {
  int made = 0;
  LazyInput input([&] {
    ++made;
    return thousand_timers();
  });
  EXPECT_EQ(made, 0);
  input.get();
  input.get();
  EXPECT_EQ(made, 1);
}

TEST_F(HarnessTest, LetsOnlyThoseTakePartThatAreSelected) {
  add<OrderedMap<Task>, Forgetful>(&thousand_timers);
  benchmark::SetBenchmarkFilter("/ordered_map/");
  EXPECT_EQ(run_selected(0, &listener_), 0);
  EXPECT_EQ(listener_.runs.size(), 1u);
}

TEST(Flags, OneOfOurOwnIsTakenOutOfTheCommandLine) {
  std::array<std::string, 4> words = {"load", "--seconds=1", "--load=my load.json", "--list"};
  std::array<char*, 4> argv{};
  std::transform(words.begin(), words.end(), argv.begin(), [](std::string& w) { return w.data(); });
  int argc = 4;
  EXPECT_EQ(take_flag(argc, argv.data(), "--load="), "my load.json");
  ASSERT_EQ(argc, 3);
  EXPECT_STREQ(argv[1], "--seconds=1");
  EXPECT_STREQ(argv[2], "--list");
  EXPECT_EQ(take_flag(argc, argv.data(), "--load="), "");
  EXPECT_EQ(argc, 3);
}

}  // namespace
}  // namespace timers::benches
