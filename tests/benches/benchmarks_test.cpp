#include "benches/harness/benchmarks.hpp"

#include <benchmark/benchmark.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "benches/harness/queues/queue_benchmarks.hpp"
#include "benches/workloads/schedule.hpp"
#include "impls/catalog.hpp"

namespace timers::benches {
namespace {

/// A queue that forgets the hundredth timer which it is given.
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

Schedule thousand_timers() {
  ScheduleBuilder builder;
  for (std::uint32_t i = 0; i < 1000; ++i) {
    builder.move_time(i);
    builder.insert(i % 10, i + 5, i + 1);
  }
  return std::move(builder).finish(Operation::insert);
}

/// Keeps what it is told.
class Listener final : public benchmark::BenchmarkReporter {
 public:
  bool ReportContext(const Context&) override { return true; }
  void ReportRuns(const std::vector<Run>& report) override {
    runs.insert(runs.end(), report.begin(), report.end());
  }
  std::vector<Run> runs;
};

class HarnessTest : public testing::Test {
 protected:
  ~HarnessTest() override { benchmark::ClearRegisteredBenchmarks(); }

  template <class Queue>
  static int run(Listener& listener) {
    add_benchmark<Queue>("test", "thousand", std::make_shared<LazyInput>(&thousand_timers));
    return run_selected(&listener);
  }
};

TEST_F(HarnessTest, ReportsWhatItMeasured) {
  Listener listener;
  EXPECT_EQ(run<OrderedMap<Task>>(listener), 0);
  ASSERT_EQ(listener.runs.size(), 1u);
  const benchmark::BenchmarkReporter::Run& run = listener.runs.front();
  EXPECT_EQ(run.benchmark_name(), "test/ordered_map/thousand/manual_time");
  EXPECT_FALSE(run.error_occurred);
  EXPECT_GT(run.counters.at("ns_per_operation"), 0);
  EXPECT_EQ(run.counters.at("operations"), 1000);
  EXPECT_EQ(run.counters.at("expiries"), 995);
  EXPECT_EQ(run.counters.at("expire_calls"), 999);
  EXPECT_GE(run.counters.at("worst_expire_ns"), run.counters.at("p999_expire_ns"));
}

TEST_F(HarnessTest, FailsInsteadOfMeasuringAWrongQueue) {
  Listener listener;
  EXPECT_NE(run<Forgetful>(listener), 0);
  ASSERT_EQ(listener.runs.size(), 1u);
  EXPECT_TRUE(listener.runs.front().error_occurred);
  EXPECT_EQ(listener.runs.front().error_message, "999 timers expired, not 1000");
}

TEST_F(HarnessTest, FailsWhenAnInputCannotBeMade) {
  Listener listener;
  add_benchmark<OrderedMap<Task>>("test", "none", std::make_shared<LazyInput>([]() -> Schedule {
                                    throw std::runtime_error("there is no input");
                                  }));
  EXPECT_NE(run_selected(&listener), 0);
  EXPECT_EQ(listener.runs.front().error_message, "there is no input");
}

TEST_F(HarnessTest, FailsWhenNothingIsSelected) {
  Listener listener;
  EXPECT_NE(run_selected(&listener), 0);
}

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

}  // namespace
}  // namespace timers::benches
