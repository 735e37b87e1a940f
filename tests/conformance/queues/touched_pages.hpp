#pragma once

/// Counts the pages of memory that a call of a queue touches.
///
/// The work of a call can be timed, but a busy machine disturbs the time. Its instructions can be
/// counted, but many machines do not allow that. However, work that grows with the number of timers
/// has to look at many timers, and so at much memory. So the kit supplies all memory of a queue and
/// removes the access to it. Then the first touch of each page raises a fault. That needs only
/// mprotect and SIGSEGV, and the count is the same on every run.
///
///     TouchedPages pages;
///     const auto queue = pages.supply_for([&] { return kind.make(); });
///     pages.in([&] { queue->cancel(handle); })                // 3
///
/// It counts memory from operator new, and memory that grows in
/// impls/queues/parts/reserved_memory.hpp. It does not count memory from malloc or mmap.

#include <array>
#include <csignal>
#include <cstddef>
#include <utility>

#include "tests/conformance/allocations.hpp"

namespace timers::conformance {

/// It must outlive the memory that it supplies. There may be one at a time in a process.
class TouchedPages final : public Supplier {
 public:
  TouchedPages();
  ~TouchedPages();

  /// False under Valgrind, which replaces operator new, and does not restore all registers at a
  /// fault.
  static bool can_be_counted();

  /// Runs `call()`, and returns how many pages it touched.
  template <class Call>
  std::size_t in(Call&& call) {
    touched_ = 0;
    {
      const struct Watch {
        TouchedPages& pages;
        explicit Watch(TouchedPages& watched) : pages(watched) { pages.forbid_all(); }
        Watch(const Watch&) = delete;
        Watch& operator=(const Watch&) = delete;
        ~Watch() { pages.allow_all(); }
      } watch(*this);
      supply_for(std::forward<Call>(call));
    }
    return touched_;
  }

  /// The size of the memory that it watches.
  std::size_t bytes() const;

  void* supply(std::size_t bytes, std::size_t alignment) override;
  bool has_supplied(const void* memory) const override;
  void reserved_memory_changed(std::byte* begin, std::ptrdiff_t bytes) override;

 private:
  struct Region {
    std::byte* begin;
    std::size_t bytes;
  };

  static void on_fault(int signal, siginfo_t* info, void* context);
  bool open_page_at(const void* address);
  void forbid_all();
  void allow_all();

  std::size_t touched_ = 0;
  Region supplied_{};
  std::array<Region, 64> reserved_{};  // an entry of 0 bytes is free
  struct sigaction former_ {};
};

}  // namespace timers::conformance
