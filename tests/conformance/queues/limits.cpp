/// Calls with a limit on how many timers they run, and what they leave for the next call.

#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <vector>

#include "tests/conformance/queues/edges.hpp"
#include "tests/conformance/queues/needs.hpp"
#include "tests/conformance/queues/scenario.hpp"
#include "tests/conformance/queues/sentence.hpp"

namespace timers::conformance::about_limits {
namespace {

//
const Sentence one_by_one("RunsNoMoreThanItsLimitAndKeepsTheRest", [](Scenario& queue) {
  queue.insert(1, 3);
  queue.insert(2, 4);
  queue.insert(3, 300);
  EXPECT_EQ(queue.expire(300, 1), 1u);
  EXPECT_EQ(queue.expire(300, 1), 1u);
  EXPECT_EQ(queue.expire(300, 1), 1u);
  EXPECT_EQ(queue.expire(300, 1), 0u);
  EXPECT_TRUE(queue.ran({{1, 3, 300}, {2, 4, 300}, {3, 300, 300}}));
});

//
const Sentence any_limit("RunsTheSameWithAnyLimit", [](const QueueKind& kind) {
  const auto edges = wheel_edges(1 << 17);
  std::vector<Expiry> expected;
  for (const Tick deadline : edges) {
    for (const Id id : Ids{2 * deadline, 2 * deadline + 1})
      expected.push_back({id, deadline, 1 << 18});
  }
  for (const std::size_t limit : std::vector<std::size_t>{1, 2, 3, 7, 100, 1000}) {
    SCOPED_TRACE(limit);
    Scenario queue(kind);
    for (const Expiry& expiry : expected) queue.insert(expiry.id, expiry.deadline);
    while (queue.size() > 0) {
      const auto left = std::min(limit, queue.size());
      ASSERT_EQ(queue.expire(1 << 18, limit), left);
    }
    EXPECT_TRUE(queue.ran(expected));
  }
});

//
const Sentence clock("MovesTimeAllTheWayInALimitedCall", [](Scenario& queue) {
  queue.insert(1, 3);
  queue.insert(2, 4);
  EXPECT_EQ(queue.expire(100, 1), 1u);
  queue.insert(3, 50);
  EXPECT_EQ(queue.expire(100), 1u);
  EXPECT_EQ(queue.expire(101), 1u);
  EXPECT_EQ(queue.log().back(), (Expiry{3, 101, 101}));
});

//
const Sentence in_the_middle("SetsTimersRightInTheMiddleOfALimitedCall", [](Scenario& queue) {
  for (const Id id : Ids{1001, 1002, 1003}) queue.insert(id, 100);
  EXPECT_EQ(queue.expire(130, 1), 1u);
  for (Id id = 1; id <= 512; ++id) queue.insert_in(id, id);
  EXPECT_EQ(queue.expire(130, 1), 1u);
  EXPECT_EQ(queue.expire(130), 1u);
  for (Id id = 1; id <= 512; ++id) {
    ASSERT_EQ(queue.expire(130 + id), 1u);
    ASSERT_EQ(queue.log().back(), (Expiry{id, 130 + id, 130 + id}));
  }
});

// A-94, D-37
const Sentence fresh("DoesNotDragAFreshTimerAlongWithOverdueOnes", [](const QueueKind& kind) {
  for (const Tick delay : wheel_edges(1 << 13)) {
    SCOPED_TRACE(delay);
    Scenario queue(kind);
    queue.insert(1, 1);
    queue.insert(2, 9);
    EXPECT_EQ(queue.expire(10, 0), 0u);
    queue.insert_in(3, delay);
    EXPECT_EQ(queue.expire(10), 2u);
    EXPECT_EQ(queue.expire(10 + delay - 1), 0u);
    EXPECT_EQ(queue.expire(10 + delay), 1u);
  }
});

//
const Sentence zero("RunsNothingWithALimitOfZero", [](Scenario& queue) {
  queue.insert(1, 5);
  EXPECT_EQ(queue.expire(5, 0), 0u);
  EXPECT_EQ(queue.expire(5, 0), 0u);
  EXPECT_EQ(queue.size(), 1u);
  EXPECT_TRUE(queue.ran({}));
  queue.insert(2, 5);
  EXPECT_EQ(queue.expire(5), 1u);
  EXPECT_EQ(queue.expire(6), 1u);
  EXPECT_TRUE(queue.ran({{1, 5, 5}, {2, 6, 6}}));
});

//
const Sentence no_starvation("StarvesNoTimerInLimitedCalls", [](Scenario& queue) {
  queue.needs_order();
  constexpr Id kChains = 8;
  std::map<Id, int> runs;
  Id next = kChains;
  std::function<void(Id, Id)> keep_setting = [&](Id chain, Id id) {
    queue.insert_in(id, 1);
    queue.on_expiry(id, [&, chain] {
      ++runs[chain];
      keep_setting(chain, next++);
    });
  };
  for (Id chain = 0; chain < kChains; ++chain) keep_setting(chain, chain);
  queue.insert(1'000'000, 60);
  for (Tick now = 1; now <= 200; ++now) ASSERT_EQ(queue.expire(now, 3), 3u);
  EXPECT_EQ(queue.size(), kChains);
  for (Id chain = 0; chain < kChains; ++chain) EXPECT_GT(runs[chain], 60) << chain;
});

//
const Sentence then_later("RunsWhatALimitLeftAtALaterTime", [](Scenario& queue) {
  queue.insert(1, 3);
  queue.insert(2, 64);
  queue.insert(3, 300);
  queue.insert(4, 301);
  EXPECT_EQ(queue.expire(300, 1), 1u);
  EXPECT_EQ(queue.expire(299), 0u);
  EXPECT_EQ(queue.expire(5000), 3u);
  EXPECT_EQ(queue.size(), 0u);
  EXPECT_EQ(queue.log().size(), 4u);
});

//
const Sentence from_any_stop("RunsWhatALimitLeftAtAnyLaterTime", [](const QueueKind& kind) {
  const auto edges = wheel_edges(1 << 13);
  for (const Tick first : edges) {
    for (const Tick second : edges) {
      if (second <= first) continue;
      SCOPED_TRACE(testing::Message() << first << " then " << second);
      Scenario queue(kind);
      Id id = 0;
      for (const Tick deadline : Ticks{Tick{1}, first - 1, first, first + 1, second, second + 1})
        queue.insert(++id, deadline);
      ASSERT_EQ(queue.expire(first, 1), 1u);
      queue.insert(++id, second);
      queue.expire(second);
      ASSERT_EQ(queue.expire(second + 1), 1u);
    }
  }
});

//
const Sentence leftovers("LetsWhatALimitLeftBeChangedOnEveryLevel", [](const QueueKind& kind) {
  need_rearm(kind);
  const auto edges = wheel_edges(1 << 17);
  for (std::size_t limit = 0; limit < edges.size(); limit += 3) {
    SCOPED_TRACE(limit);
    Scenario queue(kind);
    for (const Tick deadline : edges) queue.insert(deadline, deadline);
    ASSERT_EQ(queue.expire(1 << 18, limit), limit);
    std::size_t rearmed = 0;
    std::size_t cancelled = 0;
    for (const Tick deadline : edges) {
      if (deadline % 3 == 0) cancelled += queue.cancel(deadline);
      if (deadline % 3 == 1) rearmed += queue.rearm(deadline, deadline);
    }
    ASSERT_EQ(queue.expire(1 << 18), edges.size() - limit - cancelled - rearmed);
    ASSERT_EQ(queue.expire((1 << 18) + 1), rearmed);
  }
});

//
const Sentence within_limit("CompletesACallWhoseLimitSuffices", [](Scenario& queue) {
  for (Id id = 1; id <= 5; ++id) queue.insert(id, id);
  EXPECT_EQ(queue.expire(3, 3), 3u);
  EXPECT_EQ(queue.expire(5, 1000), 2u);
  EXPECT_TRUE(queue.ran({{1, 1, 3}, {2, 2, 3}, {3, 3, 3}, {4, 4, 5}, {5, 5, 5}}));
});

}  // namespace
}  // namespace timers::conformance::about_limits
