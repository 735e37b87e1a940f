#pragma once

/// Reads a recorded trace: what a real program did with its timers (the format: traces/FORMAT.md).
///
///     const Trace trace = read_trace("benches/traces/tiny.trace.gz");
///
/// Every rule of the format is checked, so a trace that was read is valid. The caller gets nothing
/// of a trace before all of it was checked. The reader does not reserve memory because a header
/// asks for it.

#include <cstdint>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

namespace timers::benches {

enum class TraceVerb : char {
  schedule = 's',
  reschedule = 'r',
  cancel = 'c',
  observed_expiry = 'f'
};

/// One line of the trace below its header.
struct TraceOperation {
  std::int64_t time;  // ns since the first operation; never decreases
  std::int64_t
      deadline;        // absolute, of `schedule` and `reschedule`; may be in the past or negative
  std::uint32_t id;    // names a timer while it is pending
  std::uint32_t line;  // in the file, counted from 1, its header included
  TraceVerb verb;
};

struct Trace {
  std::string name;
  std::vector<TraceOperation> operations;
  std::uint32_t ids = 0;  // all ids are below this
};

/// A trace that cannot be read, or breaks a rule. `what()` is `FILE:LINE: REASON`, or `FILE:
/// REASON` if the fault has no line.
class TraceError : public std::runtime_error {
 public:
  TraceError(std::filesystem::path file, std::uint64_t line, std::string reason);

  const std::filesystem::path& file() const { return file_; }
  std::uint64_t line() const { return line_; }  // 0 if there is none
  const std::string& reason() const { return reason_; }

 private:
  std::filesystem::path file_;
  std::uint64_t line_;
  std::string reason_;
};

/// Reads a .trace, .trace.gz or .trace.zst. Throws TraceError.
Trace read_trace(const std::filesystem::path& path);

}  // namespace timers::benches
