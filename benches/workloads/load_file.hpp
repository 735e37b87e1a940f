#pragma once

/// Reads a load from a file of JSON, as scripts/choose.py writes it.
///
///     {"form": "timerbench load 1", "tick_ms": 1,
///      "connections": [{"pending": 200000, "rearms_a_second": 50000, "limit_s": 60}],
///      "calls": [{"a_second": 10000, "limit_s": 5, "cancelled_percent": 99}]}
///
/// The members are those of `Load` and its parts. load_rules.json says which values each may have;
/// scripts/choose.py follows the same rules.

#include <filesystem>
#include <stdexcept>

#include "benches/workloads/load.hpp"

namespace timers::benches {

/// A file that has no load, or an impossible one. `what()` is a line that says what would be right.
class LoadError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Throws LoadError.
Load read_load(const std::filesystem::path& path);

}  // namespace timers::benches
