#include "tests/conformance/allocations.hpp"

#include <malloc.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <new>
#include <utility>

#include "impls/queues/parts/reserved_memory.hpp"

namespace timers::conformance {
namespace {

// These are thread-local and need no construction, and so they count from the first moment on.
constinit thread_local std::ptrdiff_t live_bytes_now = 0;
constinit thread_local std::ptrdiff_t peak_bytes_now = 0;
constinit thread_local std::uint64_t allocations_now = 0;
constinit thread_local Ration* ration_now = nullptr;
constinit thread_local Supplier* supplier_now = nullptr;

constinit std::atomic<std::ptrdiff_t> live_bytes_of_all = 0;

// The number of allocations that still succeed, for all threads that do not ration others. Negative
// means that all succeed.
constinit thread_local bool rations_others = false;
constinit std::atomic<std::int64_t> left_of_others = -1;
constinit std::atomic<bool> are_others_refused = false;

bool is_granted_to_others() {
  if (rations_others || left_of_others.load(std::memory_order_relaxed) < 0) return true;
  if (left_of_others.fetch_sub(1) != 0) return true;
  are_others_refused = true;
  return false;
}

bool is_granted() {
  if (ration_now == nullptr) return is_granted_to_others();
  if (ration_now->refused) return true;
  if (ration_now->left-- > 0) return true;
  ration_now->refused = true;
  return false;
}

void count_bytes(std::ptrdiff_t bytes) {
  live_bytes_now += bytes;
  live_bytes_of_all.fetch_add(bytes, std::memory_order_relaxed);
}

void count_allocation(std::ptrdiff_t bytes) {
  ++allocations_now;
  count_bytes(bytes);
  peak_bytes_now = std::max(peak_bytes_now, live_bytes_now);
}

/// Counts the memory, unless it is nullptr.
void* counted(void* memory) noexcept {
  if (memory == nullptr) return nullptr;
  count_allocation(static_cast<std::ptrdiff_t>(malloc_usable_size(memory)));
  return memory;
}

bool is_supplied() { return supplier_now != nullptr && supplier_now->is_asked(); }

void call_around() {
  if (auto* const call = around_allocations.load(std::memory_order_relaxed)) call();
}

void* allocate_or_null(std::size_t size) noexcept {
  call_around();
  if (is_supplied()) return supplier_now->supply(size, alignof(std::max_align_t));
  return is_granted() ? counted(std::malloc(std::max<std::size_t>(size, 1))) : nullptr;
}

void* allocate(std::size_t size) {
  if (void* memory = allocate_or_null(size)) return memory;
  throw std::bad_alloc();
}

void* allocate(std::size_t size, std::align_val_t alignment) {
  const auto align = static_cast<std::size_t>(alignment);
  const std::size_t rounded_up = (size + align - 1) / align * align;
  call_around();
  void* memory = nullptr;
  if (is_supplied()) {
    memory = supplier_now->supply(size, align);
  } else if (is_granted()) {
    memory = counted(std::aligned_alloc(align, rounded_up));
  }
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

void release(void* memory) noexcept {
  if (memory == nullptr) return;
  if (supplier_now != nullptr && supplier_now->has_supplied(memory)) return;
  count_bytes(-static_cast<std::ptrdiff_t>(malloc_usable_size(memory)));
  std::free(memory);
  call_around();
}

}  // namespace

AllocationMeter::AllocationMeter()
    : bytes_before_(live_bytes_now), allocations_before_(allocations_now) {
  peak_bytes_now = live_bytes_now;
}
std::ptrdiff_t AllocationMeter::live_bytes() const { return live_bytes_now - bytes_before_; }
std::ptrdiff_t AllocationMeter::peak_bytes() const { return peak_bytes_now - bytes_before_; }
std::uint64_t AllocationMeter::allocations() const { return allocations_now - allocations_before_; }

std::ptrdiff_t live_bytes_of_all_threads() {
  return live_bytes_of_all.load(std::memory_order_relaxed);
}

Rationing::Rationing(Ration* ration) : outer_(std::exchange(ration_now, ration)) {}
Rationing::~Rationing() { ration_now = outer_; }

RationingOthers::RationingOthers(std::uint64_t left) {
  rations_others = true;
  are_others_refused = false;
  left_of_others = static_cast<std::int64_t>(left);
}
RationingOthers::~RationingOthers() {
  left_of_others = -1;
  rations_others = false;
}
bool RationingOthers::refused() const { return are_others_refused; }

Supplier::Supplier() { supplier_now = this; }
Supplier::~Supplier() { supplier_now = nullptr; }

}  // namespace timers::conformance

/// Memory that grows in place counts as if operator new had handed it out.
bool timers::reserved_memory_changes(std::byte* begin, std::ptrdiff_t bytes) noexcept {
  using namespace timers::conformance;
  if (supplier_now != nullptr) supplier_now->reserved_memory_changed(begin, bytes);
  if (bytes < 0) {
    count_bytes(bytes);
    return true;
  }
  if (!is_granted()) return false;
  count_allocation(bytes);
  return true;
}

using timers::conformance::allocate;
using timers::conformance::release;

// All forms are replaced. Otherwise a sanitizer would supply the rest, and the kit would not count
// it.

void* operator new(std::size_t size) { return allocate(size); }
void* operator new[](std::size_t size) { return allocate(size); }
void* operator new(std::size_t size, std::align_val_t align) { return allocate(size, align); }
void* operator new[](std::size_t size, std::align_val_t align) { return allocate(size, align); }

void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  return timers::conformance::allocate_or_null(size);
}
void* operator new[](std::size_t size, const std::nothrow_t&) noexcept {
  return timers::conformance::allocate_or_null(size);
}

void operator delete(void* memory) noexcept { release(memory); }
void operator delete[](void* memory) noexcept { release(memory); }
void operator delete(void* memory, std::size_t) noexcept { release(memory); }
void operator delete[](void* memory, std::size_t) noexcept { release(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { release(memory); }
void operator delete[](void* memory, std::align_val_t) noexcept { release(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { release(memory); }
void operator delete[](void* memory, std::size_t, std::align_val_t) noexcept { release(memory); }
void operator delete(void* memory, const std::nothrow_t&) noexcept { release(memory); }
void operator delete[](void* memory, const std::nothrow_t&) noexcept { release(memory); }
