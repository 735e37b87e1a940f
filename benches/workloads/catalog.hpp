#pragma once

/// Made inputs: how populations of timers come and go, from a fixed seed.
///
/// A workload is a function from a number of timers to a schedule, and one line of an array below.
/// The schedules are the same on every machine and compiler. A tick is 1 ms unless a workload says
/// otherwise.

#include <array>
#include <cstddef>

#include "benches/workloads/bulk.hpp"
#include "benches/workloads/calls.hpp"
#include "benches/workloads/connections.hpp"
#include "benches/workloads/periodic.hpp"
#include "benches/workloads/schedule.hpp"

namespace timers::benches {

struct Workload {
  const char* name;
  Schedule (*make)(std::size_t timers);
  std::size_t smallest = 1'000;  // the least number of timers that it is measured with
};

/// The greatest number of timers that is measured. In between are the powers of ten.
inline constexpr std::size_t kLargest = 10'000'000;

inline constexpr std::array kInsert = {
    Workload{"growing", &insert_growing},
    Workload{"warm", &insert_warm},
};
inline constexpr std::array kCancel = {
    Workload{"random", &cancel_random},
    Workload{"oldest_first", &cancel_oldest_first},
    Workload{"newest_first", &cancel_newest_first},
};
inline constexpr std::array kExpire = {
    Workload{"uniform", &expire_within_a_minute},
    Workload{"uniform_1h", &expire_within_an_hour},
    Workload{"pacing", &pacing},
};
inline constexpr std::array kChurn = {
    Workload{"rpc", &rpc, 10},
    Workload{"tcp", &tcp},
    Workload{"retry", &retry},
    Workload{"delays_only", &delays_only},
};
inline constexpr std::array kRearm = {
    Workload{"idle", &idle},
    Workload{"raft", &raft},
};
inline constexpr std::array kBurst = {
    Workload{"one_tick", &one_tick},
    Workload{"edges", &edges},
};
inline constexpr std::array kConstant = {
    Workload{"1_delay", &one_delay},
    Workload{"3_delays", &three_delays},
    Workload{"10_delays", &ten_delays},
};
inline constexpr std::array kNextExpiry = {
    Workload{"uniform", &first_second},
};
inline constexpr std::array kMillion = {
    Workload{"init", &staircase_init},
    Workload{"dispatch", &staircase_dispatch},
    Workload{"clean_up", &staircase_clean_up},
};
inline constexpr std::array kEmptyTicks = {
    Workload{"empty_ticks", &empty_ticks},
};
/// By wakes: `expire` is called when `next_expiry` says so.
inline constexpr std::array kWakes = {
    Workload{"log_uniform", &log_uniform},
    Workload{"1s_and_6h", &one_second_and_six_hours},
};

}  // namespace timers::benches
