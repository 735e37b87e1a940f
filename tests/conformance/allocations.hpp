#pragma once

/// Counts what a thread allocates with operator new, and can make it run out of memory.
///
/// The kit replaces the global operators new and delete; all it adds to them is this. Memory that
/// grows in place (reserved_memory.hpp) counts, too: each growth is an allocation.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <utility>

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

/// What each thread calls before it allocates, and after it has released; or nothing. It must not
/// allocate.
inline std::atomic<void (*)()> around_allocations = nullptr;

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

/// While it lives, the allocations of all other threads draw on so many together: one fails after
/// that, and then all succeed again. One at a time.
class RationingOthers {
 public:
  explicit RationingOthers(std::uint64_t left);
  RationingOthers(const RationingOthers&) = delete;
  RationingOthers& operator=(const RationingOthers&) = delete;
  ~RationingOthers();

  /// Whether one has failed.
  bool refused() const;
};

/// Where the allocations of a thread come from, if not from the C library. One at a time, made and
/// destroyed by the thread. What it supplies is not counted, and needs no ration.
class Supplier {
 public:
  Supplier();
  Supplier(const Supplier&) = delete;
  Supplier& operator=(const Supplier&) = delete;

  /// Runs `call()`, whose allocations this supplies.
  template <class Call>
  decltype(auto) supply_for(Call&& call) {
    const struct Restore {
      bool& is_asked;
      bool was_asked;
      ~Restore() { is_asked = was_asked; }
    } restore{is_asked_, std::exchange(is_asked_, true)};
    return std::forward<Call>(call)();
  }

  bool is_asked() const { return is_asked_; }
  /// Aligned to a power of two; nullptr if there is no more.
  virtual void* supply(std::size_t bytes, std::size_t alignment) = 0;
  virtual bool has_supplied(const void* memory) const = 0;
  /// Memory that grows in place has changed by so many bytes at its end.
  virtual void reserved_memory_changed(std::byte* begin, std::ptrdiff_t bytes) = 0;

 protected:
  ~Supplier();

 private:
  bool is_asked_ = false;
};

}  // namespace timers::conformance
