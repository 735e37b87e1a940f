/// A trail leads from a node in an inbox to an earlier node that the same thread pushed.

#include "impls/services/parts/trail.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <thread>

#include "impls/services/parts/inbox.hpp"

namespace timers {
namespace {

constexpr std::size_t kStep = 16;
constexpr std::size_t kReach = 32767 * kStep;

constexpr std::uintptr_t kHere = std::uintptr_t{1} << 40;

TEST(Trail, LeadsToWhatLiesNear) {
  Trail trail;
  for (const std::uintptr_t to :
       {kHere, kHere + kStep, kHere - 12 * kStep, kHere + kReach, kHere - kReach}) {
    trail.lead(kHere, to);
    EXPECT_EQ(trail.end(kHere), to);
    EXPECT_FALSE(trail.is_kept_by_node());
  }
}

TEST(Trail, RoundsTheWay) {
  Trail trail;
  trail.lead(kHere, kHere + 5 * kStep + 8);
  EXPECT_EQ(trail.end(kHere), kHere + 5 * kStep);
  trail.lead(kHere, kHere - 5 * kStep - 8);
  EXPECT_EQ(trail.end(kHere), kHere - 5 * kStep);
}

TEST(Trail, LeadsBackIfTheWayIsTooLong) {
  Trail trail;
  for (const std::uintptr_t to :
       {kHere + kReach + kStep, kHere - kReach - kStep, std::uintptr_t{0}}) {
    trail.lead(kHere, kHere + kStep);
    trail.lead(kHere, to);
    EXPECT_EQ(trail.end(kHere), kHere);
    EXPECT_FALSE(trail.is_kept_by_node());
  }
}

TEST(Trail, SaysThatTheNodeKeepsAnAddress) {
  Trail trail;
  EXPECT_FALSE(trail.is_kept_by_node());
  trail.let_node_keep_it();
  EXPECT_TRUE(trail.is_kept_by_node());
}

struct Letter {
  void lead_to(std::uintptr_t before) { earlier = before; }
  void prefetch_ahead() { ++fetched; }

  Letter* next_in_inbox = nullptr;
  std::uintptr_t earlier = 0;
  int fetched = 0;
};

using Letters = std::array<Letter, 40>;
constexpr std::size_t kOver = 16;  // the number of letters that a trail leads over

TEST(InboxWithTrails, LeadsEachNodeToOneOfTheSameThread) {
  Inbox<Letter> inbox;
  for (int writer = 0; writer < 2; ++writer) {
    Letters letters;
    std::thread([&] {
      for (Letter& letter : letters) inbox.push(&letter);
    }).join();
    for (std::size_t i = 0; i < letters.size(); ++i) {
      const Letter* const leads_to = i < kOver ? nullptr : &letters[i - kOver];
      EXPECT_EQ(letters[i].earlier, reinterpret_cast<std::uintptr_t>(leads_to));
    }
    inbox.take_all();
  }
}

TEST(InboxWithTrails, FetchesFromEachNodeThatLeadsToAnotherOfTheSameTake) {
  Inbox<Letter> inbox;
  Letters letters;
  for (Letter& letter : letters) inbox.push(&letter);
  const Letter* taken = inbox.take_all();
  for (std::size_t i = 0; i < letters.size(); ++i) {
    EXPECT_EQ(taken, &letters[i]);
    EXPECT_EQ(letters[i].fetched, i < kOver ? 0 : 1);
    taken = taken->next_in_inbox;
  }
  EXPECT_EQ(taken, nullptr);
}

}  // namespace
}  // namespace timers
