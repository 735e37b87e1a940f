#pragma once

/// What the benches share: every queue of the catalog on every input, and a `main`.
///
/// Benchmarks are called operation/queue/input. Google Benchmark adds "/manual_time" to the names,
/// because the time is taken around the measured steps only.

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "benches/measure.hpp"
#include "benches/schedule.hpp"
#include "impls/catalog.hpp"

namespace timers::benches {

/// An input that is made when a benchmark first asks for it: a process that measures one of many
/// does not wait for the others.
class LazyInput {
 public:
  explicit LazyInput(std::function<Schedule()> make) : make_(std::move(make)) {}

  const Input& get();

 private:
  std::function<Schedule()> make_;
  std::optional<Input> input_;
};

/// Makes this benchmark an error, and the exit status of the process another than 0 (with
/// SkipWithError alone it would be 0).
void fail(benchmark::State& state, const std::string& reason);

/// Registers a benchmark of `Queue`.
template <TimerQueue Queue>
void add_benchmark(const std::string& operation, const std::string& input_name,
                   std::shared_ptr<LazyInput> input) {
  const std::string name = fmt::format("{}/{}/{}", operation, Queue::name, input_name);
  benchmark::RegisterBenchmark(name.c_str(),
                               [input = std::move(input)](benchmark::State& state) {
                                 try {
                                   measure<Queue>(state, input->get());
                                 } catch (const std::exception& error) {
                                   fail(state, error.what());
                                 }
                               })
      ->UseManualTime()
      ->Unit(benchmark::kMillisecond);
}

/// Registers a benchmark of each queue of the catalog on the input that `make` makes.
inline void add_benchmarks(const std::string& operation, const std::string& input_name,
                           std::function<Schedule()> make) {
  const auto input = std::make_shared<LazyInput>(std::move(make));
  for_each_type(TimerQueues<Task>{},
                [&]<class Queue>() { add_benchmark<Queue>(operation, input_name, input); });
}

/// Runs what the command line selects, with Google Benchmark's own flags. Returns the exit status:
/// 1 if a benchmark failed, or if none was selected.
int run_benchmarks(int argc, char** argv);

/// The same without a command line. Without a reporter, it is Google Benchmark's own.
int run_selected(benchmark::BenchmarkReporter* reporter = nullptr);

}  // namespace timers::benches
