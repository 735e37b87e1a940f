#pragma once

/// Makes sure that there is memory behind the pages that the kernel hands out next.
///
/// The kernel of a virtual machine may tell the host which pages are free. Within a second the host
/// takes the memory behind them. The next touch of such a page waits for the host. This takes far
/// longer than the touch of another page. Which queue has to wait is chance. Here the harness waits
/// instead.

#include <sys/mman.h>

#include <cstddef>

namespace timers::benches {

/// Touches so many bytes of free memory, and gives them back to the kernel. It hands out first the
/// pages that were given back last. Does nothing if the memory is not there. Linear in `bytes`.
inline void back_next_pages(std::size_t bytes) noexcept {
  constexpr std::size_t kPage = 4'096;
  void* const mapped =
      mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapped == MAP_FAILED) return;
  madvise(mapped, bytes, MADV_HUGEPAGE);  // a kernel may refuse, and give small pages
  auto* const begin = static_cast<volatile std::byte*>(mapped);
  for (std::size_t offset = 0; offset < bytes; offset += kPage) begin[offset] = std::byte{1};
  munmap(mapped, bytes);
}

}  // namespace timers::benches
