#pragma once

/// Counts the pages of memory that a call of a queue touches.
///
/// How hard a call works can be timed, and then a busy machine disturbs it; or its instructions can
/// be counted, which many machines cannot. But work that grows with the number of timers has to
/// look at many timers, and so at much memory. So the kit gives a queue all its memory, takes the
/// access away, and lets the processor object to the first touch of each page. That needs nothing
/// but mprotect and SIGSEGV, and the count is the same on every run.
///
///     TouchedPages pages;
///     const auto queue = pages.supply_for([&] { return kind.make(); });
///     pages.in([&] { queue->cancel(handle); })                // 3
///
/// It sees what comes from operator new, or grows in impls/queues/parts/reserved_memory.hpp. What
/// comes from malloc or mmap it does not see.

#include <array>
#include <csignal>
#include <cstddef>
#include <utility>

#include "tests/conformance/allocations.hpp"

namespace timers::conformance {

/// It must outlive what it supplies. One at a time in a process.
class TouchedPages final : public Supplier {
 public:
  TouchedPages();
  ~TouchedPages();

  /// Valgrind hands out what operator new returns, and does not restore all registers at a fault.
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

  /// How much memory it watches.
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
  std::array<Region, 64> reserved_{};  // of no bytes where there is none
  struct sigaction former_ {};
};

}  // namespace timers::conformance
