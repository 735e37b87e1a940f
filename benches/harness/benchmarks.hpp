#pragma once

/// What all benches share: benchmarks that may fail, and a `main`.

#include <benchmark/benchmark.h>

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "benches/harness/groups.hpp"

namespace timers::benches {

/// Makes this benchmark an error, and the exit status of the process another than 0 (with
/// SkipWithError alone it would be 0).
void fail(benchmark::State& state, const std::string& reason);

/// Registers a benchmark whose body may throw: it is an error then. Before any body runs, `enter`
/// of each selected benchmark is called: so a program knows what it is going to run.
benchmark::internal::Benchmark* add_benchmark(
    const std::string& name, std::function<void(benchmark::State&)> body,
    std::function<void()> enter = [] {});

/// Registers one that runs once a process, and says itself how long it took.
void add_single_run(
    const std::string& name, std::function<void(benchmark::State&)> body,
    std::function<void()> enter = [] {});

/// Takes a flag such as `--load=` out of the command line, and returns what follows it; an empty
/// text if it is not there.
std::string take_flag(int& argc, char** argv, std::string_view flag);

/// Takes a flag that names a file out of the command line. Returns the file; "" without the flag,
/// as when a program only lists its benchmarks. If `fault_of` finds a fault in it, tells it in a
/// line and returns nothing.
std::optional<std::string> take_file(int& argc, char** argv, std::string_view flag,
                                     std::string (*fault_of)(const std::filesystem::path&));

/// How long the turns of a contest may take in all, in seconds.
double seconds_of_a_contest();

/// Runs what the command line selects, with Google Benchmark's own flags and `--seconds=S`, of a
/// contest, which is 1 without it. Returns the exit status: 1 if a benchmark failed, if none was
/// selected, or if a flag is wrong. The groups go into the context of the results; with `--groups`
/// alone on the command line they are printed, and nothing runs.
int run_benchmarks(int argc, char** argv, const Groups& groups = {});

/// The same without a command line: lets the selected benchmarks enter, and then runs them. Without
/// a reporter, it is Google Benchmark's own.
int run_selected(double seconds_of_a_contest, benchmark::BenchmarkReporter* reporter = nullptr);

}  // namespace timers::benches
