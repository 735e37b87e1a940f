/// The harness touches the pages that the kernel hands out next, and keeps none of them.

#include "benches/harness/queues/backed_pages.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstddef>
#include <fstream>
#include <limits>

namespace timers::benches {
namespace {

constexpr std::size_t kBytes = std::size_t{64} << 20;

/// How often the kernel gave this process a page so far.
long faults() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_minflt;
}

/// The addresses that this process has mapped.
std::size_t mapped_bytes() {
  std::size_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  return pages * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

TEST(BackedPages, AreTouched) {
  constexpr long kHugePages = kBytes >> 21;  // there are more if the pages are small
  const long before = faults();
  back_next_pages(kBytes);
  EXPECT_GE(faults() - before, kHugePages);
}

TEST(BackedPages, AreGivenBack) {
  back_next_pages(kBytes);  // what the first call alone takes is taken
  const std::size_t before = mapped_bytes();
  back_next_pages(kBytes);
  EXPECT_LT(mapped_bytes(), before + kBytes);
}

TEST(BackedPages, AreLeftOutIfThereIsNoMemory) {
  const long before = faults();
  back_next_pages(std::numeric_limits<std::size_t>::max() / 2);
  EXPECT_LT(faults() - before, 16);
}

}  // namespace
}  // namespace timers::benches
