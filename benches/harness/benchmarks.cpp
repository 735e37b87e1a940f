#include "benches/harness/benchmarks.hpp"

#include <fmt/core.h>
#include <gnu/libc-version.h>
#include <malloc.h>

#include <exception>
#include <fstream>
#include <string_view>
#include <utility>

#include "commit.hpp"

namespace timers::benches {

namespace {

bool any_failed = false;

std::string cpu_model() {
  std::ifstream cpuinfo("/proc/cpuinfo");
  for (std::string line; std::getline(cpuinfo, line);) {
    const std::size_t colon = line.find(": ");
    if (line.starts_with("model name") && colon != std::string::npos) return line.substr(colon + 2);
  }
  return "unknown";
}

std::string compiler() {
#ifdef __clang__
  return __VERSION__;
#else
  return "GCC " __VERSION__;
#endif
}

void add_context(const Groups& groups) {
  benchmark::AddCustomContext("commit", kCommit);
  benchmark::AddCustomContext("compiler", compiler());
  benchmark::AddCustomContext("flags", TIMERBENCH_FLAGS);
  benchmark::AddCustomContext("build_type", TIMERBENCH_BUILD_TYPE);
  benchmark::AddCustomContext(
      "build_type_note",
      "build_type is that of the queues; library_build_type is that of "
      "Google Benchmark alone, which Debian builds without NDEBUG and which "
      "is outside of what is timed");
  benchmark::AddCustomContext("libc", std::string("glibc ") + gnu_get_libc_version());
  benchmark::AddCustomContext("cpu", cpu_model());
  for (const auto& [name, members] : groups.context()) benchmark::AddCustomContext(name, members);
}

}  // namespace

void fail(benchmark::State& state, const std::string& reason) {
  any_failed = true;
  state.SkipWithError(reason.c_str());
}

benchmark::internal::Benchmark* add_benchmark(const std::string& name,
                                              std::function<void(benchmark::State&)> body) {
  return benchmark::RegisterBenchmark(name.c_str(),
                                      [body = std::move(body)](benchmark::State& state) {
                                        try {
                                          body(state);
                                        } catch (const std::exception& error) {
                                          fail(state, error.what());
                                        }
                                      })
      ->Unit(benchmark::kMillisecond);
}

void add_single_run(const std::string& name, std::function<void(benchmark::State&)> body) {
  add_benchmark(name, std::move(body))->UseManualTime()->Iterations(1);
}

int run_benchmarks(int argc, char** argv, const Groups& groups) {
  if (argc == 2 && argv[1] == std::string_view("--groups")) {
    for (const auto& [name, members] : groups.context()) fmt::print("{}: {}\n", name, members);
    return 0;
  }
  // As they are when a program starts; else glibc moves them with what was freed before.
  constexpr int kThreshold = 128 * 1024;
  mallopt(M_MMAP_THRESHOLD, kThreshold);
  mallopt(M_TRIM_THRESHOLD, kThreshold);
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  add_context(groups);
  const int status = run_selected();
  benchmark::Shutdown();
  return status;
}

int run_selected(benchmark::BenchmarkReporter* reporter) {
  any_failed = false;
  const std::size_t selected = benchmark::RunSpecifiedBenchmarks(reporter);
  return any_failed || selected == 0 ? 1 : 0;
}

}  // namespace timers::benches
