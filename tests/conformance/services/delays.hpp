#pragma once

/// The delays that tests go through: near the ticks and the turns of common wheels, and between.

#include <chrono>
#include <initializer_list>

#include "impls/clocks/instant.hpp"

namespace timers::service_conformance {

using namespace std::chrono_literals;

inline constexpr std::initializer_list<Duration> kDelays = {
    1ns,   1us,   100us, 999'999ns, 1ms, 1ms + 1ns, 20ms,     99ms, 100ms, 101ms,
    400ms, 450ms, 1s,    3s,        8s,  10s,       51'200ms, 1min, 160s,  1h};

}  // namespace timers::service_conformance
