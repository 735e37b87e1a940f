#pragma once

/// Memory that grows, and never moves.
///
/// An array that moves when it grows takes everything with it. An array in chunks asks a table at
/// each access where the chunk is. This memory reserves far more addresses than it needs, and asks
/// the system for memory behind them only as it grows. So everything keeps its place, and a number
/// is enough to find it. Addresses cost next to nothing: a process has 2^47 of them on x86-64. But
/// a queue reserves 2^28 cells: with tasks of 4 KiB that is 2^40 bytes, so a process that holds
/// more than a hundred such queues runs out of addresses. Then let the tasks be pointers.
///
///     grow_to                     O(1) amortised; it asks the system after each 16th
///     construct, move, destroy    O(1)
///
/// The memory begins with a page or a few. When it is large, it grows by huge pages and asks the
/// system to use them. Then the processor needs fewer walks through page tables.
///
/// A process keeps one region for the next queue, so that a small queue is cheap to make. The
/// system may take back all but 64 KiB of it when it is short of memory. A region with huge pages
/// is not kept: a small queue that got it would be faster than other queues of its size.
///
/// A process may have a limit of addresses (RLIMIT_AS). Then this reserves a quarter of what it can
/// get, and leaves the rest to others.
///
/// It needs mmap and addresses of 64 bits, such as Linux has on x86-64 and aarch64.

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <utility>

#include "impls/parts/poison.hpp"

namespace timers {

/// A program may define this function to count reserved memory, or to refuse it, just as it may
/// replace operator new. `begin` is where the reserved region begins. `bytes` is how much more is
/// about to be taken at the end of what is taken already; if negative, how much is given back. If
/// the function returns false, nothing is taken.
[[gnu::weak]] bool reserved_memory_changes(std::byte* begin, std::ptrdiff_t bytes) noexcept;

/// Bytes that only their owner uses. They are given back as a whole.
class ReservedMemory {
  static_assert(sizeof(void*) == 8, "addresses are scarce here");

 public:
  /// The memory can grow to `most` bytes. Nothing is reserved before it grows.
  explicit ReservedMemory(std::size_t most) noexcept : most_(most) {}

  ReservedMemory(ReservedMemory&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)),
        size_(std::exchange(other.size_, 0)),
        granted_(std::exchange(other.granted_, 0)),
        committed_(std::exchange(other.committed_, 0)),
        reserved_(std::exchange(other.reserved_, 0)),
        most_(other.most_) {}
  ReservedMemory& operator=(ReservedMemory&& other) noexcept {
    if (this != &other) {
      std::destroy_at(this);
      std::construct_at(this, std::move(other));
    }
    return *this;
  }
  ~ReservedMemory() {
    if (data_ != nullptr) give_back();
  }

  /// Where it begins, once it has grown. Aligned to a page.
  std::byte* data() const { return data_; }
  std::size_t size() const { return size_; }

  /// Makes it larger. The new part may hold anything. Throws std::bad_alloc if there is no
  /// memory; nothing has changed then.
  void grow_to(std::size_t size) {
    if (data_ == nullptr) reserve();
    if (size > std::min(granted_, most_)) ask_for(size);
    unpoison(data_ + size_, size - size_);
    size_ = size;
  }

 private:
  static constexpr std::size_t kHugePage = std::size_t{1} << 21;
  static constexpr std::size_t kFewBytes = std::size_t{1} << 22;  // more go by huge pages
  static constexpr std::size_t kReserved = std::size_t{1} << 33;  // enough for any next owner
  static constexpr std::size_t kLittle = std::size_t{1} << 16;

  /// Stands at the beginning of the region that is kept.
  struct Kept {
    std::size_t committed;
    std::size_t reserved;
  };
  inline static constinit std::atomic<Kept*> kept_{nullptr};

  static std::size_t round_up(std::size_t bytes, std::size_t unit) {
    return (bytes + unit - 1) / unit * unit;
  }

  static std::size_t page() { return static_cast<std::size_t>(sysconf(_SC_PAGESIZE)); }

  void reserve() {
    if (Kept* const kept = kept_.exchange(nullptr, std::memory_order_acquire)) {
      if (kept->reserved >= most_) {
        use(kept);
        return;
      }
      munmap(kept, kept->reserved);
    }
    // Huge pages begin at multiples of their size.
    const std::size_t bytes = std::max(most_, kReserved) + kHugePage;
    if (std::byte* const begin = map(bytes)) {
      const std::size_t spare = -reinterpret_cast<std::uintptr_t>(begin) % kHugePage;
      if (spare > 0) munmap(begin, spare);
      data_ = begin + spare;
      reserved_ = bytes - spare;
    } else {
      reserve_some();
    }
  }

  /// For a process with few addresses: reserves a part of what it can get.
  void reserve_some() {
    for (std::size_t bytes = round_up(most_, kHugePage); bytes >= 4 * kLittle; bytes /= 2) {
      bytes = round_up(bytes, 4 * kLittle);
      std::byte* const begin = map(bytes);
      if (begin == nullptr) continue;
      data_ = begin;
      reserved_ = bytes / 4;
      munmap(begin + reserved_, bytes - reserved_);
      return;
    }
    throw std::bad_alloc();
  }

  static std::byte* map(std::size_t bytes) {
    void* const begin =
        mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return begin == MAP_FAILED ? nullptr : static_cast<std::byte*>(begin);
  }

  void ask_for(std::size_t size) {
    if (size > std::min(reserved_, most_)) throw std::bad_alloc();
    const std::size_t unit = size > kFewBytes ? kHugePage : page();
    const std::size_t wanted = std::min(round_up(size + size / 16, unit), reserved_);
    const auto more = static_cast<std::ptrdiff_t>(wanted - granted_);
    if (!tell(more)) throw std::bad_alloc();
    if (wanted > committed_ && !commit(wanted)) {
      tell(-more);
      throw std::bad_alloc();
    }
    granted_ = wanted;
  }

  bool tell(std::ptrdiff_t bytes) const {
    return reserved_memory_changes == nullptr || reserved_memory_changes(data_, bytes);
  }

  bool commit(std::size_t wanted) {
    const std::size_t more = wanted - committed_;
    if (mprotect(data_ + committed_, more, PROT_READ | PROT_WRITE) != 0) return false;
    if (wanted > kFewBytes && committed_ <= kFewBytes) madvise(data_, reserved_, MADV_HUGEPAGE);
    poison(data_ + committed_, more);
    committed_ = wanted;
    return true;
  }

  void give_back() noexcept {
    if (granted_ > 0) tell(-static_cast<std::ptrdiff_t>(granted_));
    unpoison(data_, committed_);
    if (committed_ > 0 && committed_ <= kFewBytes) {
      keep();
    } else {
      munmap(data_, reserved_);
    }
  }

  void keep() noexcept {
    if (granted_ > kLittle) madvise(data_ + kLittle, granted_ - kLittle, MADV_FREE);
    auto* const region = ::new (data_) Kept{committed_, reserved_};
    Kept* none = nullptr;
    if (!kept_.compare_exchange_strong(none, region, std::memory_order_release,
                                       std::memory_order_relaxed)) {
      munmap(data_, reserved_);
    }
  }

  void use(Kept* kept) {
    data_ = reinterpret_cast<std::byte*>(kept);
    committed_ = kept->committed;
    reserved_ = kept->reserved;
    poison(data_, committed_);
  }

  std::byte* data_ = nullptr;
  std::size_t size_ = 0;       // how many bytes the owner may use
  std::size_t granted_ = 0;    // how many bytes the owner was granted
  std::size_t committed_ = 0;  // how many bytes have memory behind them
  std::size_t reserved_ = 0;   // how many bytes of addresses are reserved
  std::size_t most_;
};

}  // namespace timers
