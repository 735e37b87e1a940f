#include "benches/harness/benchmarks.hpp"

#include <fmt/core.h>
#include <gnu/libc-version.h>
#include <malloc.h>

#include <algorithm>
#include <charconv>
#include <exception>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

#include "commit.hpp"

namespace timers::benches {

namespace {

constexpr double kMostSeconds = 3600;

bool any_failed = false;
bool is_entering = false;
bool only_lists = false;
double asked_seconds = 0;

/// Accepts all results, and prints nothing.
class Silence final : public benchmark::BenchmarkReporter {
 public:
  bool ReportContext(const Context&) override { return true; }
  void ReportRuns(const std::vector<Run>&) override {}
};

/// Takes our own flags out of the command line. Returns whether they are right; prints what is
/// wrong.
bool take_flags(int& argc, char** argv, double& seconds_asked) {
  constexpr std::string_view kSeconds = "--seconds=";
  char** kept = argv;
  for (char** argument = argv; argument != argv + argc; ++argument) {
    const std::string_view text = *argument;
    only_lists |= text.starts_with("--benchmark_list_tests") && !text.ends_with("=false");
    if (!text.starts_with(kSeconds)) {
      *kept++ = *argument;
      continue;
    }
    const std::string_view value = text.substr(kSeconds.size());
    const auto [end, error] = std::from_chars(value.begin(), value.end(), seconds_asked);
    if (error != std::errc() || end != value.end() || !(seconds_asked >= 0) ||
        seconds_asked > kMostSeconds) {
      fmt::print(stderr, "--seconds: '{}' is no number of seconds from 0 to {}\n", value,
                 kMostSeconds);
      return false;
    }
  }
  argc = static_cast<int>(kept - argv);
  return true;
}

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
  benchmark::AddCustomContext("code_alignment", TIMERBENCH_CODE_ALIGNMENT);
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
                                              std::function<void(benchmark::State&)> body,
                                              std::function<void()> enter) {
  const auto run = [body = std::move(body), enter = std::move(enter)](benchmark::State& state) {
    if (is_entering) {
      enter();
      state.SkipWithError("it enters, and runs later");  // otherwise it would have to iterate
      return;
    }
    try {
      body(state);
    } catch (const std::exception& error) {
      fail(state, error.what());
    }
  };
  return benchmark::RegisterBenchmark(name.c_str(), run)->Unit(benchmark::kMillisecond);
}

void add_single_run(const std::string& name, std::function<void(benchmark::State&)> body,
                    std::function<void()> enter) {
  add_benchmark(name, std::move(body), std::move(enter))->UseManualTime()->Iterations(1);
}

std::string take_flag(int& argc, char** argv, std::string_view flag) {
  std::string value;
  char** const end = std::remove_if(argv, argv + argc, [&](const char* argument) {
    const bool is_it = std::string_view(argument).starts_with(flag);
    if (is_it) value = argument + flag.size();
    return is_it;
  });
  argc = static_cast<int>(end - argv);
  return value;
}

std::optional<std::string> take_file(int& argc, char** argv, std::string_view flag,
                                     std::string (*fault_of)(const std::filesystem::path&)) {
  std::string file = take_flag(argc, argv, flag);
  if (const std::string fault = fault_of(file); !fault.empty()) {
    fmt::print(stderr, "{}: {}\n", std::filesystem::path(argv[0]).filename().string(), fault);
    return std::nullopt;
  }
  return file;
}

double seconds_of_a_contest() { return asked_seconds; }

int run_benchmarks(int argc, char** argv, const Groups& groups) {
  if (argc == 2 && argv[1] == std::string_view("--groups")) {
    for (const auto& [name, members] : groups.context()) fmt::print("{}: {}\n", name, members);
    return 0;
  }
  // These are the values at the start of a program. Unless they are set, glibc changes them when
  // large blocks are freed.
  constexpr int kThreshold = 128 * 1024;
  mallopt(M_MMAP_THRESHOLD, kThreshold);
  mallopt(M_TRIM_THRESHOLD, kThreshold);
  double seconds_asked = 1;
  if (!take_flags(argc, argv, seconds_asked)) return 1;
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  add_context(groups);
  const int status = run_selected(seconds_asked);
  benchmark::Shutdown();
  return status;
}

int run_selected(double seconds_of_a_contest, benchmark::BenchmarkReporter* reporter) {
  asked_seconds = seconds_of_a_contest;
  if (!only_lists) {
    Silence silence;
    is_entering = true;
    benchmark::RunSpecifiedBenchmarks(&silence);
    is_entering = false;
  }
  any_failed = false;
  const std::size_t selected = benchmark::RunSpecifiedBenchmarks(reporter);
  return any_failed || selected == 0 ? 1 : 0;
}

}  // namespace timers::benches
