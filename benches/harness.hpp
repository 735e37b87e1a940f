#pragma once

/// What the benches share: every queue of the catalog on every input, and a `main`.
///
/// Benchmarks are called operation/queue/workload/n. Google Benchmark adds "/manual_time" to the
/// names, because the time is taken around the measured steps only.

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <array>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "benches/measure.hpp"
#include "benches/measured_queues.hpp"
#include "benches/schedule.hpp"
#include "benches/workload.hpp"

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

/// Registers a benchmark whose body may throw: it is an error then.
benchmark::internal::Benchmark* add_benchmark(const std::string& name,
                                              std::function<void(benchmark::State&)> body);

/// Registers one that runs once a process, and says itself how long it took.
void add_single_run(const std::string& name, std::function<void(benchmark::State&)> body);

/// Registers a benchmark of `Queue`, which goes through the measured steps by `run`.
template <TimerQueue Queue, class RunMeasured = AllSteps>
void add_benchmark(const std::string& operation, const std::string& input_name,
                   std::shared_ptr<LazyInput> input, RunMeasured run = {}) {
  add_benchmark(fmt::format("{}/{}/{}", operation, Queue::name, input_name),
                [input = std::move(input), run, calls = std::make_shared<CallTimer>()](
                    benchmark::State& state) { measure<Queue>(state, input->get(), *calls, run); })
      ->UseManualTime();
}

/// Registers a benchmark of each queue of the catalog on the input that `make` makes.
inline void add_benchmarks(const std::string& operation, const std::string& input_name,
                           std::function<Schedule()> make) {
  const auto input = std::make_shared<LazyInput>(std::move(make));
  for_each_type(MeasuredQueues{},
                [&]<class Queue>() { add_benchmark<Queue>(operation, input_name, input); });
}

/// Registers a benchmark of each queue on each of these workloads, at every size.
template <std::size_t Count>
void add_benchmarks(const std::string& operation, const std::array<Workload, Count>& workloads) {
  for (const Workload& workload : workloads) {
    for (std::size_t n = workload.smallest; n <= kLargest; n *= 10) {
      add_benchmarks(operation, fmt::format("{}/{}", workload.name, n),
                     [=] { return workload.make(n); });
    }
  }
}

/// Runs what the command line selects, with Google Benchmark's own flags. Returns the exit status:
/// 1 if a benchmark failed, or if none was selected.
int run_benchmarks(int argc, char** argv);

/// The same without a command line. Without a reporter, it is Google Benchmark's own.
int run_selected(benchmark::BenchmarkReporter* reporter = nullptr);

}  // namespace timers::benches
