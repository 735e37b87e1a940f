#pragma once

/// Spans of time, as messages print them.

#include <array>
#include <chrono>
#include <string>
#include <utility>

#include "impls/clocks/instant.hpp"

namespace timers::service_conformance {

/// For example "5 ms": uses the largest unit in which the span is a whole number.
inline std::string in_words(Duration span) {
  using namespace std::chrono_literals;
  static constexpr std::array<std::pair<Duration, const char*>, 6> kUnits = {
      {{1h, " h"}, {1min, " min"}, {1s, " s"}, {1ms, " ms"}, {1us, " us"}, {1ns, " ns"}}};
  if (span == Duration::zero()) return "0";
  if (span == Duration::max()) return "Duration::max()";
  for (const auto& [unit, name] : kUnits) {
    if (span % unit == Duration::zero()) return std::to_string(span / unit) + name;
  }
  return "";
}

}  // namespace timers::service_conformance
