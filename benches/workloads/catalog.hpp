#pragma once

/// Synthetic inputs: how populations of timers come and go.
///
/// A workload is a function from a number of timers and a random seed to a schedule. It is one line
/// of an array below. A tick is 1 ms unless a workload says otherwise. The schedules are the same
/// on every machine and with every compiler: a test compares the checksum in the line, and prints
/// the right one.

#include <array>
#include <cstddef>
#include <cstdint>

#include "benches/workloads/bulk.hpp"
#include "benches/workloads/calls.hpp"
#include "benches/workloads/connections.hpp"
#include "benches/workloads/hold.hpp"
#include "benches/workloads/periodic.hpp"
#include "benches/workloads/schedule.hpp"

namespace timers::benches {

struct Workload {
  const char* name;
  Schedule (*make)(std::size_t timers, std::uint64_t seed);
  std::uint64_t checksum;        // of its steps, with 1,000 timers and seed 1
  std::size_t smallest = 1'000;  // the least number of timers with which it is measured
};

/// The greatest number of timers that is measured. The numbers in between are powers of ten.
inline constexpr std::size_t kLargest = 10'000'000;

inline constexpr std::array kInsert = {
    Workload{"growing", &insert_growing, 0x13ac42f1e321cc66},
    Workload{"warm", &insert_warm, 0xb5ce8eadcf823ea0},
};
inline constexpr std::array kCancel = {
    Workload{"random", &cancel_random, 0x719df8ba4548b8c},
    Workload{"oldest_first", &cancel_oldest_first, 0x3de43bafd0b8ff2b},
    Workload{"newest_first", &cancel_newest_first, 0x2db0344b535124d1},
};
inline constexpr std::array kExpire = {
    Workload{"uniform", &expire_within_a_minute, 0x5175185a0fc48122},
    Workload{"uniform_1h", &expire_within_an_hour, 0x260c54233054f626},
    Workload{"pacing", &pacing, 0xc3e66b684c8b874e},
};
inline constexpr std::array kChurn = {
    Workload{"rpc", &rpc, 0x86f10fe45b2cbb61, 10},
    Workload{"rpc_mixed", &rpc_mixed, 0x84cc3bd7b97690e5},
    Workload{"rpc_wide", &rpc_wide, 0x85ec06a162140912},
    Workload{"tcp", &tcp, 0xde4653565b83eb9f},
    Workload{"retry", &retry, 0xef038bca48cb00a9},
    Workload{"delays_only", &delays_only, 0xe2a1c8caa7bf9f27},
};
inline constexpr std::array kRearm = {
    Workload{"idle", &idle, 0x7fadb794beda361b},
    Workload{"raft", &raft, 0x8fa56d3a5bab312a},
};
inline constexpr std::array kBurst = {
    Workload{"one_tick", &one_tick, 0x55dc3fc9ca6eb78},
    Workload{"edges", &edges, 0x4b2c811f81ddd743},
};
inline constexpr std::array kConstant = {
    Workload{"1_delay", &one_delay, 0xdd2ed123ba506c40},
    Workload{"3_delays", &three_delays, 0xd42e02ea5cc856f1},
    Workload{"10_delays", &ten_delays, 0x493e6be003630520},
};
inline constexpr std::array kHold = {
    Workload{"exponential", &hold_exponential, 0xdb4beb775480cda8, 100},
    Workload{"short", &hold_short, 0xc1c8bd3b2e214799, 100},
    Workload{"uniform", &hold_uniform, 0xafa640216fd25691, 100},
    Workload{"biased", &hold_biased, 0x3637304438556f29, 100},
    Workload{"bimodal", &hold_bimodal, 0x641073571d43536e, 100},
    Workload{"triangular", &hold_triangular, 0x63d13e07bb5806f9, 100},
    Workload{"pareto", &hold_pareto, 0xf2633e2e8dd8dc2c, 100},
    Workload{"two_humps", &hold_two_humps, 0xbdd0b7636c290756, 100},
    Workload{"changing", &hold_changing, 0x67863d3a3b956cf2, 100},
    Workload{"markov_50", &markov_50, 0xbe23b722e3c34886, 100},
    Workload{"markov_90", &markov_90, 0xb7751d75d23af3a8, 100},
    Workload{"markov_99", &markov_99, 0xb83ebaadc0653d18, 100},
    Workload{"up_down", &up_down, 0x772684cfb80ee298},
};
inline constexpr std::array kNextExpiry = {
    Workload{"uniform", &first_second, 0x215ea9e3b08b98b},
};
inline constexpr std::array kMillion = {
    Workload{"init", &staircase_init, 0x35b98be795f1d509},
    Workload{"dispatch", &staircase_dispatch, 0x6559f3abcc03548f},
    Workload{"clean_up", &staircase_clean_up, 0x19de7e90f4d60461},
};
inline constexpr std::array kEmptyTicks = {
    Workload{"empty_ticks", &empty_ticks, 0x1f3d7d3af6f04fc4},
};
/// Time moves by wakes: `expire` is called when `next_expiry` says so.
inline constexpr std::array kWakes = {
    Workload{"log_uniform", &log_uniform, 0x2c127a74a354d233},
    Workload{"1s_and_6h", &one_second_and_six_hours, 0x36938e953253cdd0},
};

/// Calls `visit(workload)` for each workload of each array.
template <class Visit>
void for_each_workload(Visit visit) {
  const auto visit_all = [&](const auto&... arrays) {
    const auto visit_array = [&](const auto& array) {
      for (const Workload& workload : array) visit(workload);
    };
    (visit_array(arrays), ...);
  };
  visit_all(kInsert, kCancel, kExpire, kChurn, kRearm, kBurst, kConstant, kHold, kNextExpiry,
            kMillion, kEmptyTicks, kWakes);
}

}  // namespace timers::benches
