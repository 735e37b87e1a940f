#pragma once

/// What all benches share: benchmarks that can fail, and a `main`.

#include <benchmark/benchmark.h>

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "benches/harness/groups.hpp"

namespace timers::benches {

/// Marks this benchmark as an error, and makes the exit status of the process non-zero. (With
/// SkipWithError alone it would be 0.)
void fail(benchmark::State& state, const std::string& reason);

/// Registers a benchmark whose body may throw; then the benchmark is an error. Before any body
/// runs, `enter` of each selected benchmark is called. So a program knows which benchmarks it will
/// run.
benchmark::internal::Benchmark* add_benchmark(
    const std::string& name, std::function<void(benchmark::State&)> body,
    std::function<void()> enter = [] {});

/// Registers a benchmark that runs once in a process, and reports its own time.
void add_single_run(
    const std::string& name, std::function<void(benchmark::State&)> body,
    std::function<void()> enter = [] {});

/// Takes a flag such as `--load=` out of the command line. Returns the text after it; "" if the
/// flag is not there.
std::string take_flag(int& argc, char** argv, std::string_view flag);

/// Takes a flag that names a file out of the command line. Returns the file; or "" if the flag is
/// missing, for example when a program only lists its benchmarks. If `fault_of` finds a fault in
/// the file, prints it in a line and returns nothing.
std::optional<std::string> take_file(int& argc, char** argv, std::string_view flag,
                                     std::string (*fault_of)(const std::filesystem::path&));

/// How many seconds the turns of a contest may take in all.
double seconds_of_a_contest();

/// Runs the benchmarks that the command line selects. It has Google Benchmark's own flags, and
/// `--seconds=S`, the seconds of a contest, by default 1. Returns the exit status: 1 if a benchmark
/// failed, if none was selected, or if a flag is wrong. The groups go into the context of the
/// results. If `--groups` is the only argument, the groups are printed, and nothing runs.
int run_benchmarks(int argc, char** argv, const Groups& groups = {});

/// The same without a command line: lets the selected benchmarks enter, and then runs them. If
/// `reporter` is nullptr, Google Benchmark's own reporter is used.
int run_selected(double seconds_of_a_contest, benchmark::BenchmarkReporter* reporter = nullptr);

}  // namespace timers::benches
