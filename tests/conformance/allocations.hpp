#pragma once

/// Counts what a thread allocates with operator new, and can simulate that memory runs out.
///
/// The kit replaces the global operators new and delete. They do only this besides allocating.
/// Memory that grows in place (reserved_memory.hpp) counts, too: each growth is an allocation.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace timers::conformance {

/// What this thread has allocated since the meter was made. The bytes are those that the allocator
/// handed out, which may be some more than the program asked for. There may be one meter at a time.
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

/// A function that each thread calls before it allocates and after it has released; or nullptr. It
/// must not allocate.
inline std::atomic<void (*)()> around_allocations = nullptr;

/// The bytes of operator new that all threads together hold now.
std::ptrdiff_t live_bytes_of_all_threads();

/// `left` allocations succeed, then one fails, and then all succeed again.
struct Ration {
  std::uint64_t left;
  bool refused = false;
};

/// While it lives, each allocation of this thread uses up a part of the ration. An inner
/// `Rationing(nullptr)` suspends that.
class Rationing {
 public:
  explicit Rationing(Ration* ration);
  Rationing(const Rationing&) = delete;
  Rationing& operator=(const Rationing&) = delete;
  ~Rationing();

 private:
  Ration* outer_;
};

/// While it lives, all other threads together have `left` allocations. The next one fails, and then
/// all succeed again. There may be one such object at a time.
class RationingOthers {
 public:
  explicit RationingOthers(std::uint64_t left);
  RationingOthers(const RationingOthers&) = delete;
  RationingOthers& operator=(const RationingOthers&) = delete;
  ~RationingOthers();

  /// Whether an allocation has failed.
  bool refused() const;
};

/// Memory for the allocations of a thread that do not go to the C library. There may be one
/// supplier at a time, and the same thread makes and destroys it. Its memory is not counted, and
/// needs no ration.
class Supplier {
 public:
  Supplier();
  Supplier(const Supplier&) = delete;
  Supplier& operator=(const Supplier&) = delete;

  /// Runs `call()`, and supplies the memory that it allocates.
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
  /// The memory is aligned to `alignment`, a power of two. nullptr if no memory is left.
  virtual void* supply(std::size_t bytes, std::size_t alignment) = 0;
  virtual bool has_supplied(const void* memory) const = 0;
  /// Memory that grows in place has changed its size by `bytes` at its end.
  virtual void reserved_memory_changed(std::byte* begin, std::ptrdiff_t bytes) = 0;

 protected:
  ~Supplier();

 private:
  bool is_asked_ = false;
};

}  // namespace timers::conformance
