#pragma once

/// A file that somebody wants played: a load (.json), or a recording.

#include <cstdint>
#include <filesystem>
#include <string>

#include "benches/traces/trace.hpp"
#include "benches/workloads/schedule.hpp"

namespace timers::benches {

/// What is wrong with a load, in a line; nothing if it is right. A recording is checked when it is
/// played.
std::string fault_of_file(const std::filesystem::path& file);

/// What is played to queues. Of a load, the part that makes the steady state is not measured. Of a
/// recording everything is measured, in ticks of 1 ms.
struct PlayedToQueues {
  Schedule schedule;
  double measured_s;  // of the time in which its timers live
};
PlayedToQueues played_to_queues(const std::filesystem::path& file);

/// What is played to services: so many seconds of a load; a recording as a whole.
Trace played_to_services(const std::filesystem::path& file, double seconds);

/// How many seconds there are to be played at most; of a load, as many as one likes.
double most_seconds(const std::filesystem::path& file);

}  // namespace timers::benches
