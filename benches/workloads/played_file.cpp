#include "benches/workloads/played_file.hpp"

#include <cmath>
#include <limits>

#include "benches/workloads/load.hpp"
#include "benches/workloads/load_file.hpp"

namespace timers::benches {

namespace {

bool is_load(const std::filesystem::path& file) {
  if (file.empty()) throw LoadError("nothing to play; give --load=FILE, a load or a recording");
  return file.extension() == ".json";
}

}  // namespace

std::string fault_of_file(const std::filesystem::path& file) {
  try {
    if (!file.empty() && is_load(file)) read_load(file);
  } catch (const LoadError& error) {
    return error.what();
  }
  return {};
}

PlayedToQueues played_to_queues(const std::filesystem::path& file) {
  if (!is_load(file)) {
    const Trace trace = read_trace(file);
    return {schedule_of(trace, 1'000'000), static_cast<double>(trace.operations.back().time) / 1e9};
  }
  const Load load = read_load(file);
  const auto [before_s, measured_s] = extents_of(load);
  const std::int64_t before_ns = std::llround(before_s * 1e9);
  return {schedule_of(trace_of(load, before_s + measured_s), tick_ns_of(load), before_ns),
          measured_s};
}

double most_seconds(const std::filesystem::path& file) {
  if (is_load(file)) return std::numeric_limits<double>::infinity();
  return static_cast<double>(read_trace(file).operations.back().time) / 1e9;
}

Trace played_to_services(const std::filesystem::path& file, double seconds) {
  return is_load(file) ? trace_of(read_load(file), seconds) : read_trace(file);
}

}  // namespace timers::benches
