#include "impls/queues/parts/reserved_memory.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "tests/conformance/allocations.hpp"
#include "tests/conformance/sanitizers.hpp"

namespace timers {
namespace {

using conformance::AllocationMeter;
using conformance::Ration;
using conformance::Rationing;

constexpr std::size_t kKiB = 1024;
constexpr std::size_t kMiB = 1024 * kKiB;
constexpr std::size_t kMost = 1024 * kMiB;

/// Grows to `size`, and fills the new part.
void fill_to(ReservedMemory& memory, std::size_t size, int value) {
  const std::size_t before = memory.size();
  memory.grow_to(size);
  std::memset(memory.data() + before, value, size - before);
}

bool holds(const ReservedMemory& memory, std::size_t from, std::size_t to, int value) {
  return std::all_of(memory.data() + from, memory.data() + to,
                     [=](std::byte byte) { return byte == static_cast<std::byte>(value); });
}

TEST(ReservedMemory, KeepsItsPlaceAsItGrows) {
  ReservedMemory memory(kMost);
  fill_to(memory, 100, 1);
  const std::byte* const begin = memory.data();
  for (std::size_t size = 100; size < 64 * kMiB; size += size / 2) fill_to(memory, size, 2);
  EXPECT_EQ(memory.data(), begin);
  EXPECT_TRUE(holds(memory, 0, 100, 1));
  EXPECT_TRUE(holds(memory, 100, memory.size(), 2));
}

TEST(ReservedMemory, CountsAsAllocatedWhileItHasIt) {
  const AllocationMeter meter;
  {
    ReservedMemory memory(kMost);
    EXPECT_EQ(meter.allocations(), 0u);
    for (const std::size_t size : {100 * kKiB, 200 * kKiB, 100 * kMiB}) {
      memory.grow_to(size);
      const auto bytes = static_cast<std::size_t>(meter.live_bytes());
      EXPECT_GE(bytes, size);
      EXPECT_LE(bytes, size + size / 8 + 64 * kKiB);
    }
    EXPECT_EQ(meter.allocations(), 3u);
  }
  EXPECT_EQ(meter.live_bytes(), 0);
}

TEST(ReservedMemory, IsAsItWasWhenItIsRefusedMore) {
  ReservedMemory memory(kMost);
  fill_to(memory, 10 * kKiB, 1);
  const AllocationMeter meter;
  Ration ration{0};
  {
    const Rationing rationing(&ration);
    EXPECT_THROW(memory.grow_to(3 * kMiB), std::bad_alloc);
  }
  EXPECT_TRUE(ration.refused);
  EXPECT_EQ(memory.size(), 10 * kKiB);
  EXPECT_EQ(meter.live_bytes(), 0);
  fill_to(memory, 3 * kMiB, 2);
  EXPECT_TRUE(holds(memory, 0, 10 * kKiB, 1));
}

TEST(ReservedMemory, ThrowsBeyondItsMost) {
  ReservedMemory memory(256 * kKiB);
  fill_to(memory, 256 * kKiB, 1);
  EXPECT_THROW(memory.grow_to(256 * kKiB + 1), std::bad_alloc);
  EXPECT_TRUE(holds(memory, 0, 256 * kKiB, 1));
}

TEST(ReservedMemory, MovesWithAllThatIsInIt) {
  ReservedMemory source(kMost);
  fill_to(source, 100 * kKiB, 1);
  const std::byte* const begin = source.data();
  std::optional<ReservedMemory> moved(std::move(source));
  ReservedMemory target(kMost);
  fill_to(target, 10 * kKiB, 2);
  target = *std::move(moved);
  moved.reset();
  source = ReservedMemory(kMost);
  fill_to(source, 100 * kKiB, 3);
  EXPECT_EQ(target.data(), begin);
  EXPECT_TRUE(holds(target, 0, 100 * kKiB, 1));
  EXPECT_TRUE(holds(source, 0, 100 * kKiB, 3));
}

TEST(ReservedMemory, LeavesASmallRegionToTheNext) {
  std::optional<ReservedMemory> first(kMost);
  first->grow_to(10 * kKiB);
  const std::byte* const begin = first->data();
  first.reset();
  ReservedMemory next(kMost);
  {
    Ration ration{0};
    const Rationing rationing(&ration);
    EXPECT_THROW(next.grow_to(1), std::bad_alloc);
  }
  next.grow_to(1);
  EXPECT_EQ(next.data(), begin);
  ReservedMemory other(kMost);
  other.grow_to(1);
  EXPECT_NE(other.data(), begin);
}

TEST(ReservedMemory, TakesNoRegionThatIsTooSmall) {
  std::optional<ReservedMemory> small(64 * kKiB);
  small->grow_to(1);
  small.reset();
  ReservedMemory large(kMost);
  fill_to(large, 64 * kMiB, 1);
  EXPECT_TRUE(holds(large, 0, 64 * kMiB, 1));
}

TEST(ReservedMemory, GivesEachThreadItsOwn) {
  constexpr int kThreads = 4;
  constexpr int kRounds = 1000;
  std::vector<int> right(kThreads);
  {
    std::vector<std::jthread> threads;
    for (int thread = 0; thread < kThreads; ++thread) {
      threads.emplace_back([thread, &mine = right[static_cast<std::size_t>(thread)]] {
        for (int round = 0; round < kRounds; ++round) {
          ReservedMemory memory(kMost);
          fill_to(memory, kKiB, thread);
          mine += holds(memory, 0, kKiB, thread);
        }
      });
    }
  }
  EXPECT_EQ(right, std::vector<int>(kThreads, kRounds));
}

/// Limits how much more address space the process may reserve.
void limit_addresses(std::size_t more) {
  std::size_t pages = 0;
  std::FILE* const file = std::fopen("/proc/self/statm", "r");
  if (file == nullptr || std::fscanf(file, "%zu", &pages) != 1) std::_Exit(2);
  std::fclose(file);
  const rlim_t limit = pages * static_cast<std::size_t>(sysconf(_SC_PAGESIZE)) + more;
  const rlimit both{limit, limit};
  if (setrlimit(RLIMIT_AS, &both) != 0) std::_Exit(3);
}

/// Fills a memory until it throws. Returns how large it became, or 0 if something was lost.
std::size_t fill_all(ReservedMemory& memory) {
  try {
    for (;;) fill_to(memory, memory.size() + 64 * kKiB, 7);
  } catch (const std::bad_alloc&) {
    return holds(memory, 0, memory.size(), 7) ? memory.size() : 0;
  }
}

TEST(ReservedMemory, LeavesAddressesToOthersWhereTheyAreLimited) {
  if (conformance::kSanitized) GTEST_SKIP() << "sanitizers reserve more addresses than any limit";
  constexpr std::size_t kAddresses = 256 * kMiB;
  const auto two_under_a_limit = [] {
    ReservedMemory large(kAddresses);
    large.grow_to(kMiB);  // so that no spare region is kept
    limit_addresses(kAddresses);
    ReservedMemory one(kMost);
    ReservedMemory other(kMost);
    const std::size_t least = std::min(fill_all(one), fill_all(other));
    std::_Exit(least >= kAddresses / 16 && std::malloc(kAddresses / 4) != nullptr ? 0 : 1);
  };
  EXPECT_EXIT(two_under_a_limit(), testing::ExitedWithCode(0), "");
}

TEST(ReservedMemory, TellsAddressSanitizerWhatNobodyMayUse) {
  if (__asan_poison_memory_region == nullptr) GTEST_SKIP() << "not built with AddressSanitizer";
  ReservedMemory memory(kMost);
  memory.grow_to(100);
  const volatile std::byte* const bytes = memory.data();
  EXPECT_DEATH(static_cast<void>(bytes[104]), "use-after-poison");
}

}  // namespace
}  // namespace timers
