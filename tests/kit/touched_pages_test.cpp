#include "tests/conformance/queues/touched_pages.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <new>
#include <numeric>
#include <vector>

#include "impls/queues/parts/reserved_memory.hpp"

namespace timers::conformance {
namespace {

const auto kPage = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));

TEST(TouchedPages, AreCountedOnceACall) {
  TouchedPages pages;
  auto bytes = pages.supply_for([] { return std::vector<char>(10 * kPage); });
  EXPECT_EQ(pages.in([&] { bytes[0] = 1; }), 1u);
  EXPECT_EQ(pages.in([&] { bytes[0] = bytes[1]; }), 1u);
  EXPECT_EQ(pages.in([&] { bytes[kPage] = bytes[5 * kPage]; }), 2u);
  EXPECT_EQ(pages.in([] {}), 0u);
  bytes[9 * kPage] = 1;
  int sum = 0;
  const std::size_t all = pages.in([&] { sum = std::accumulate(bytes.begin(), bytes.end(), 0); });
  EXPECT_EQ(sum, 1);
  EXPECT_GE(all, 10u);
  EXPECT_LE(all, 11u);
  EXPECT_GE(pages.bytes(), 10 * kPage);
}

TEST(TouchedPages, GrowWithAListThatIsWalked) {
  TouchedPages pages;
  const auto list = pages.supply_for([] { return std::list<int>(10'000); });
  int sum = 0;
  EXPECT_GE(pages.in([&] { sum = std::accumulate(list.begin(), list.end(), 0); }),
            10'000 * sizeof(void*) / kPage);
  EXPECT_LE(pages.in([&] { sum += list.front() + list.back(); }), 2u);
  EXPECT_EQ(sum, 0);
}

TEST(TouchedPages, AreThoseOfAlignedMemory) {
  struct alignas(256) Large {
    char bytes[256];
  };
  TouchedPages pages;
  const auto large = pages.supply_for([] {
    const auto small = std::make_unique<char>();
    return std::make_unique<Large>();
  });
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(large.get()) % 256, 0u);
  EXPECT_EQ(pages.in([&] { large->bytes[255] = 1; }), 1u);
}

TEST(TouchedPages, AreThoseOfReservedMemory) {
  TouchedPages pages;
  ReservedMemory memory(100 * kPage);
  pages.supply_for([&] { memory.grow_to(4 * kPage); });
  EXPECT_EQ(pages.in([&] {
    memory.data()[0] = memory.data()[3 * kPage];
    memory.grow_to(50 * kPage);
    memory.data()[40 * kPage] = memory.data()[0];
  }),
            2u);
  EXPECT_EQ(pages.in([&] { memory.data()[0] = memory.data()[40 * kPage]; }), 2u);
}

TEST(TouchedPages, LeaveOthersAlone) {
  TouchedPages pages;
  const auto own = pages.supply_for([] { return std::make_unique<int>(); });
  const auto other = std::make_unique<int>();
  EXPECT_EQ(pages.in([&] { *other = 1; }), 0u);
  EXPECT_EQ(pages.in([&] { *own = *other; }), 1u);
}

TEST(TouchedPages, CountUpToAnException) {
  TouchedPages pages;
  const auto own = pages.supply_for([] { return std::make_unique<int>(); });
  EXPECT_THROW(pages.in([&] { throw *own; }), int);
  *own = 2;
  EXPECT_EQ(pages.in([&] { *own = 1; }), 1u);
}

TEST(TouchedPagesDeathTest, PassOnAFaultThatIsNotTheirs) {
  TouchedPages pages;
  int* volatile nothing = nullptr;
  EXPECT_DEATH(pages.in([&] { *nothing = 1; }), "");
}

}  // namespace
}  // namespace timers::conformance
