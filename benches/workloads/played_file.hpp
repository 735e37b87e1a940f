#pragma once

/// A file that the user wants to play: a load (.json), or a recording.

#include <cstdint>
#include <filesystem>
#include <string>

#include "benches/traces/trace.hpp"
#include "benches/workloads/schedule.hpp"

namespace timers::benches {

/// The fault of a load, in a line; "" if there is none. A recording is checked when it is played.
std::string fault_of_file(const std::filesystem::path& file);

/// What queues play. The part of a load that leads to the steady state is not measured. A recording
/// is measured as a whole, with ticks of 1 ms.
struct PlayedToQueues {
  Schedule schedule;
  double measured_s;  // in the time in which its timers live
};
PlayedToQueues played_to_queues(const std::filesystem::path& file);

/// What services play: so many seconds of a load, or a whole recording.
Trace played_to_services(const std::filesystem::path& file, double seconds);

/// How many seconds can be played at most. A load has no limit.
double most_seconds(const std::filesystem::path& file);

}  // namespace timers::benches
