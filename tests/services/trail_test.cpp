/// A trail leads from a node in an inbox to one that the same thread pushed before.

#include "impls/services/parts/trail.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <thread>
#include <vector>

#include "impls/services/parts/inbox.hpp"

namespace timers {
namespace {

constexpr std::size_t kStep = 16;
constexpr std::size_t kReach = 32767 * kStep;

struct Memory {
  std::vector<std::byte> bytes = std::vector<std::byte>(2 * kReach);
  std::byte* middle = bytes.data() + kReach;
};

TEST(Trail, LeadsToWhatLiesNear) {
  Memory memory;
  Trail trail;
  for (std::byte* const to : {memory.middle, memory.middle + kStep, memory.middle - 12 * kStep,
                              memory.middle + kReach - kStep, memory.middle - kReach}) {
    trail.lead(memory.middle, to);
    EXPECT_EQ(trail.end(memory.middle), to);
    EXPECT_FALSE(trail.is_kept_by_node());
  }
}

TEST(Trail, LeadsBackIfTheWayIsTooLong) {
  Memory memory;
  std::byte* const first = memory.bytes.data();
  Trail trail;
  trail.lead(first, first + kStep);
  trail.lead(first, first + kReach + kStep);
  EXPECT_EQ(trail.end(first), first);
  trail.lead(first + kReach + kStep, first);
  EXPECT_EQ(trail.end(first), first);
  EXPECT_FALSE(trail.is_kept_by_node()) << "one step more than the way back is long";
  trail.lead(first, nullptr);
  EXPECT_EQ(trail.end(first), first);
}

TEST(Trail, SaysThatTheNodeKeepsAnAddress) {
  Trail trail;
  EXPECT_FALSE(trail.is_kept_by_node());
  trail.let_node_keep_it();
  EXPECT_TRUE(trail.is_kept_by_node());
}

struct Letter {
  void lead_to(Letter* before) { earlier = before; }
  void prefetch_ahead() { ++fetched; }

  Letter* next_in_inbox = nullptr;
  Letter* earlier = nullptr;
  int fetched = 0;
};

using Letters = std::array<Letter, 20>;
constexpr std::size_t kOver = 8;  // letters that a trail leads over

TEST(InboxWithTrails, LeadsEachNodeToOneOfTheSameThread) {
  Inbox<Letter> inbox;
  for (int writer = 0; writer < 2; ++writer) {
    Letters letters;
    std::thread([&] {
      for (Letter& letter : letters) inbox.push(&letter);
    }).join();
    for (std::size_t i = 0; i < letters.size(); ++i) {
      EXPECT_EQ(letters[i].earlier, i < kOver ? nullptr : &letters[i - kOver]);
    }
    inbox.take_all();
  }
}

TEST(InboxWithTrails, FetchesOnceFromEachNodeThatIsTaken) {
  Inbox<Letter> inbox;
  Letters letters;
  for (Letter& letter : letters) inbox.push(&letter);
  Letter* taken = inbox.take_all();
  for (Letter& letter : letters) {
    EXPECT_EQ(taken, &letter);
    EXPECT_EQ(letter.fetched, 1);
    taken = taken->next_in_inbox;
  }
  EXPECT_EQ(taken, nullptr);
}

}  // namespace
}  // namespace timers
