#pragma once

/// What all benches share: benchmarks that may fail, and a `main`.

#include <benchmark/benchmark.h>

#include <functional>
#include <string>

#include "benches/harness/groups.hpp"

namespace timers::benches {

/// Makes this benchmark an error, and the exit status of the process another than 0 (with
/// SkipWithError alone it would be 0).
void fail(benchmark::State& state, const std::string& reason);

/// Registers a benchmark whose body may throw: it is an error then.
benchmark::internal::Benchmark* add_benchmark(const std::string& name,
                                              std::function<void(benchmark::State&)> body);

/// Registers one that runs once a process, and says itself how long it took.
void add_single_run(const std::string& name, std::function<void(benchmark::State&)> body);

/// Runs what the command line selects, with Google Benchmark's own flags. Returns the exit status:
/// 1 if a benchmark failed, or if none was selected. The groups go into the context of the results;
/// with `--groups` alone on the command line they are printed, and nothing runs.
int run_benchmarks(int argc, char** argv, const Groups& groups = {});

/// The same without a command line. Without a reporter, it is Google Benchmark's own.
int run_selected(benchmark::BenchmarkReporter* reporter = nullptr);

}  // namespace timers::benches
