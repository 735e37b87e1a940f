#include "impls/queues/parts/chunk_lists.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <new>
#include <vector>

#include "tests/conformance/allocations.hpp"
#include "tests/conformance/random.hpp"

namespace timers {
namespace {

using Lists = ChunkLists<std::uint64_t>;
constexpr std::size_t kFull = Lists::kEntriesAChunk;

void append(Lists& lists, Lists::List& list, std::uint64_t entry) {
  if (!list.has_room()) lists.add_chunk(list);
  list.push(entry);
}

std::vector<std::uint64_t> read_all(Lists& lists, Lists::List& list) {
  std::vector<std::uint64_t> entries;
  while (!list.empty()) {
    Lists::Reader chunk = lists.pop_chunk(list);
    while (!chunk.empty()) entries.push_back(lists.pop(chunk));
  }
  return entries;
}

TEST(ChunkLists, AreReadInTheOrderInWhichTheyWereWritten) {
  for (const std::size_t size :
       {std::size_t{1}, kFull - 1, kFull, kFull + 1, 2 * kFull, 2 * kFull + 1, std::size_t{1000}}) {
    Lists lists;
    lists.reserve(size, 1);
    Lists::List list;
    std::vector<std::uint64_t> written;
    for (std::uint64_t i = 0; i < size; ++i) {
      append(lists, list, i);
      written.push_back(i);
    }
    EXPECT_EQ(list.has_one_chunk(), size <= kFull);
    EXPECT_EQ(list.has_one_entry(), size == 1);
    EXPECT_EQ(list.first_chunk() == list.last_chunk(), size <= kFull);
    EXPECT_EQ(read_all(lists, list), written);
    EXPECT_TRUE(list.empty());
  }
}

TEST(ChunkLists, ShowTheFirstChunkBeforeItIsRead) {
  Lists lists;
  lists.reserve(kFull + 2, 1);
  Lists::List list;
  const auto shown = [&] {
    std::vector<std::uint64_t> entries;
    list.for_first_chunk([&](std::uint64_t entry) { entries.push_back(entry); });
    return entries;
  };
  EXPECT_EQ(shown().size(), 0u);
  for (std::uint64_t i = 0; i < kFull + 2; ++i) append(lists, list, i);
  EXPECT_EQ(shown().size(), kFull);
  Lists::Reader chunk = lists.pop_chunk(list);
  while (!chunk.empty()) lists.pop(chunk);
  EXPECT_EQ(shown(), (std::vector<std::uint64_t>{kFull, kFull + 1}));
}

TEST(ChunkLists, KeepWhatIsPushedIfItIsWanted) {
  Lists lists;
  lists.reserve(3, 1);
  Lists::List list;
  lists.add_chunk(list);
  list.push(1);
  list.push_if(false, 2);
  list.push_if(true, 3);
  EXPECT_EQ(read_all(lists, list), (std::vector<std::uint64_t>{1, 3}));
}

TEST(ChunkLists, AreReadAChunkAtOnce) {
  Lists lists;
  lists.reserve(kFull + 1, 1);
  Lists::List list;
  for (std::uint64_t i = 0; i < kFull + 1; ++i) append(lists, list, i);
  EXPECT_FALSE(list.has_one_chunk());
  std::uint64_t expected = 0;
  while (!list.empty()) {
    lists.pop_all(lists.pop_chunk(list),
                  [&](std::uint64_t entry) { EXPECT_EQ(entry, expected++); });
    EXPECT_EQ(list.has_one_chunk(), expected == kFull);
  }
  EXPECT_EQ(expected, kFull + 1);
}

// However often entries move between the lists, the lists never need more memory than was reserved.
TEST(ChunkLists, NeedNoMoreThanTheyReserved) {
  constexpr std::size_t kEntries = 500;
  constexpr std::size_t kLists = 40;
  conformance::Random random(1);
  Lists lists;
  std::array<Lists::List, kLists> all;
  lists.reserve(kEntries, kLists);
  for (std::uint64_t i = 0; i < kEntries; ++i) append(lists, all[random.below(kLists)], i);
  conformance::Ration none{.left = 0};
  const conformance::Rationing rationing(&none);
  for (int move = 0; move < 100'000; ++move) {
    Lists::List& from = all[random.below(kLists)];
    if (from.empty()) continue;
    Lists::Reader chunk = lists.pop_chunk(from);
    const auto move_one = [&](std::uint64_t entry) {
      append(lists, all[random.below(kLists)], entry);
    };
    if (move % 2 == 0) {
      lists.pop_all(chunk, move_one);
    } else {
      while (!chunk.empty()) move_one(lists.pop(chunk));
    }
  }
  std::size_t entries = 0;
  const conformance::Rationing free(nullptr);
  for (Lists::List& list : all) entries += read_all(lists, list).size();
  EXPECT_EQ(entries, kEntries);
}

TEST(ChunkLists, AreAsTheyWereWhenThereIsNoMemory) {
  Lists lists;
  Lists::List list;
  lists.reserve(10, 1);
  append(lists, list, 7);
  {
    conformance::Ration ration{.left = 0};
    const conformance::Rationing rationing(&ration);
    EXPECT_THROW(lists.reserve(100'000, 1), std::bad_alloc);
  }
  lists.reserve(100'000, 1);
  EXPECT_EQ(read_all(lists, list), std::vector<std::uint64_t>{7});
}

}  // namespace
}  // namespace timers
