#pragma once

/// Counts what a thread allocates with operator new, and can make it run out of memory.
///
/// The kit replaces the global operators new and delete; all it adds to them is this. Memory that
/// grows in place (reserved_memory.hpp) counts, too: each growth is an allocation.

#include <cstddef>
#include <cstdint>

namespace timers::conformance {

/// What this thread has allocated since the meter was made. The bytes are those that the allocator
/// handed out, which may be some more than were asked for. One meter at a time.
class AllocationMeter {
 public:
  AllocationMeter();
  AllocationMeter(const AllocationMeter&) = delete;
  AllocationMeter& operator=(const AllocationMeter&) = delete;

  std::ptrdiff_t live_bytes() const;
  std::ptrdiff_t peak_bytes() const;
  std::uint64_t allocations() const;

 private:
  std::ptrdiff_t bytes_before_;
  std::uint64_t allocations_before_;
};

/// What all threads hold together of what they allocated with operator new.
std::ptrdiff_t live_bytes_of_all_threads();

/// So many allocations succeed, then one fails, and then all succeed again.
struct Ration {
  std::uint64_t left;
  bool refused = false;
};

/// While it lives, the allocations of this thread draw on a ration; those inside of
/// `Rationing(nullptr)` do not.
class Rationing {
 public:
  explicit Rationing(Ration* ration);
  Rationing(const Rationing&) = delete;
  Rationing& operator=(const Rationing&) = delete;
  ~Rationing();

 private:
  Ration* outer_;
};

}  // namespace timers::conformance
