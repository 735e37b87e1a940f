/// How fast each queue does what real programs did: every recorded trace, at two lengths of a tick.
///
///     replay/hashed_wheel/nginx-rbtree-ka5@1ms
///
/// An operation is a schedule, re-schedule or cancel of the trace; an expiry that was observed is
/// none, since the queue finds it by itself. The cost of an operation includes its share of the
/// expire calls that move time to it.
///
/// Every recording in benches/traces is measured; beside them, that one which TIMERBENCH_TRACE
/// names.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "benches/harness/queues/queue_benchmarks.hpp"
#include "benches/queues/measured_queues.hpp"
#include "benches/traces/trace.hpp"
#include "benches/workloads/schedule.hpp"

namespace timers::benches {
namespace {

struct TickLength {
  const char* name;
  std::int64_t ns;
};

constexpr std::array kTickLengths = {TickLength{"1ms", 1'000'000}, TickLength{"1us", 1'000}};

std::vector<std::filesystem::path> recordings() {
  std::vector<std::filesystem::path> traces;
  for (const auto& entry :
       std::filesystem::directory_iterator(TIMERBENCH_SOURCE_DIR "/benches/traces")) {
    if (entry.path().filename().string().find(".trace") != std::string::npos) {
      traces.push_back(entry.path());
    }
  }
  if (const char* const another = std::getenv("TIMERBENCH_TRACE")) traces.emplace_back(another);
  std::sort(traces.begin(), traces.end());
  return traces;
}

/// tiny.trace.gz is called tiny.
std::string name_of(const std::filesystem::path& trace) {
  const std::string name = trace.filename().string();
  return name.substr(0, name.find(".trace"));
}

void add_all() {
  for (const std::filesystem::path& trace : recordings()) {
    for (const TickLength tick : kTickLengths) {
      add_contest<MeasuredField>("replay", fmt::format("{}@{}", name_of(trace), tick.name),
                                 std::make_shared<LazyInput>([=] {
                                   return std::vector{schedule_of(read_trace(trace), tick.ns)};
                                 }));
    }
  }
}

}  // namespace
}  // namespace timers::benches

int main(int argc, char** argv) {
  using namespace timers::benches;
  add_all();
  return run_queue_benchmarks(argc, argv);
}
