/// Where a ring keeps its entries, and which of them a visit reaches.

#include "impls/services/parts/bucket_ring.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <deque>
#include <vector>

#include "impls/timer_queue.hpp"

namespace timers {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

struct Entry : RingEntry {
  using RingEntry::RingEntry;
};

/// A ring of eight buckets, and entries for it. At the end they leave the ring.
class ARing : public testing::Test {
 protected:
  ~ARing() override {
    ring_.for_each([this](Entry& entry) { ring_.remove(entry); });
  }

  Entry& insert(Tick tick) {
    entries_.emplace_back(tick);
    ring_.insert(entries_.back());
    return entries_.back();
  }

  /// Takes out what is due in `tick`.
  std::vector<Tick> take_due(Tick tick) {
    std::vector<Tick> due;
    ring_.visit_due(tick, [&](Entry& entry) {
      due.push_back(entry.tick);
      ring_.remove(entry);
    });
    return due;
  }

  std::deque<Entry> entries_;
  BucketRing<Entry> ring_{8};
};

TEST_F(ARing, HasNothingDueWhenItIsEmpty) {
  EXPECT_EQ(ring_.first_due(1), kEndOfTime);
  EXPECT_THAT(take_due(1), IsEmpty());
  EXPECT_EQ(ring_.size(), 8u);
}

TEST_F(ARing, MeetsTheEntriesOfATickInTheOrderOfTheirComing) {
  Entry& first = insert(3);
  Entry& second = insert(3);
  std::vector<Entry*> met;
  ring_.visit_due(3, [&](Entry& entry) { met.push_back(&entry); });
  EXPECT_THAT(met, ElementsAre(&first, &second));
}

// B-N-10, D-15
TEST_F(ARing, LeavesTheEntriesOfLaterTurns) {
  for (const Tick tick : {25u, 17u, 9u, 1u}) insert(tick);
  EXPECT_THAT(take_due(1), ElementsAre(1u));
  EXPECT_EQ(ring_.first_due(2), 9u);
  EXPECT_THAT(take_due(9), ElementsAre(9u));
  EXPECT_THAT(take_due(17), ElementsAre(17u));
  EXPECT_THAT(take_due(25), ElementsAre(25u));
  EXPECT_EQ(ring_.first_due(26), kEndOfTime);
}

TEST_F(ARing, FindsTheFirstTickBeforeOneOfALaterTurn) {
  insert(12);
  insert(7);
  EXPECT_EQ(ring_.first_due(1), 7u);
  EXPECT_THAT(take_due(7), ElementsAre(7u));
  EXPECT_EQ(ring_.first_due(8), 12u);
}

//
TEST_F(ARing, FindsATickAtAnyDistance) {
  constexpr Tick kFar = Tick{1} << 62;
  insert(kFar + 3);
  insert(kFar);
  EXPECT_EQ(ring_.first_due(1), kFar);
}

TEST_F(ARing, NeverMeetsWhatIsNeverDue) {
  insert(kEndOfTime);
  EXPECT_EQ(ring_.first_due(1), kEndOfTime);
  EXPECT_THAT(take_due(7), IsEmpty());  // this tick has the same bucket
}

TEST_F(ARing, ForgetsATickWhenAllItsEntriesAreOut) {
  Entry& one = insert(5);
  Entry& other = insert(5);
  ring_.remove(one);
  EXPECT_EQ(ring_.first_due(1), 5u);
  ring_.remove(other);
  EXPECT_EQ(ring_.first_due(1), kEndOfTime);
}

TEST_F(ARing, KnowsWhenAnEntryIsDueThatAVisitHasInsertedAgain) {
  for (const Tick later : {11u, 12u, 19u}) {
    Entry& entry = insert(3);
    ring_.visit_due(3, [&](Entry& due) {
      ring_.remove(due);
      due.tick = later;
      ring_.insert(due);
    });
    EXPECT_EQ(ring_.first_due(4), later);
    EXPECT_THAT(take_due(later), ElementsAre(later));
    EXPECT_FALSE(entry.is_linked());
  }
}

TEST_F(ARing, MeetsAgainWhatWasLeftOfAFormerTurn) {
  insert(2);
  std::size_t met = 0;
  ring_.visit_due(2, [&](Entry&) { ++met; });
  EXPECT_EQ(ring_.first_due(3), kEndOfTime);
  insert(10);
  ring_.visit_due(10, [&](Entry&) { ++met; });
  EXPECT_EQ(met, 3u);
}

}  // namespace
}  // namespace timers
