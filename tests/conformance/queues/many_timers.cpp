/// More timers at once, and more timers one after the other, than 16 bits count.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <vector>

#include "tests/conformance/queues/needs.hpp"
#include "tests/conformance/queues/sentence.hpp"
#include "tests/conformance/sanitizers.hpp"

namespace timers::conformance::about_many_timers {
namespace {

/// The small copy of a queue, and its pool, number their timers as the queue does.
void need_numbers_of_its_own(const QueueKind& kind) {
  need(!kind.is_small, "it is made small, to meet its edges");
  need(!kind.is_pooled, "it is tested without its pool");
}

//
const Sentence at_once("TellsMoreTimersApartThan16BitsCount", [](const QueueKind& kind) {
  constexpr Id kTimers = share_of(70'000);
  constexpr Tick kSpan = 1000;
  const Tick now = kSpan + kind.promises.max_lateness(kSpan);
  need_numbers_of_its_own(kind);
  need(kind.promises.growth != Growth::linear, "its work grows with the number of timers");
  need_time(kind, now);
  const auto deadline_of = [](Id id) { return 1 + id % kSpan; };
  const auto queue = kind.make();
  std::vector<AnyQueue::Handle> handles;
  for (Id id = 0; id < kTimers; ++id) {
    handles.push_back(queue->insert(deadline_of(id), ProbeTask(id)));
  }
  std::vector<bool> is_pending(kTimers, true);
  for (Id id = 0; id < kTimers; id += 3) {
    ASSERT_TRUE(queue->cancel(handles[id]));
    is_pending[id] = false;
  }
  const auto pending = [&] { return std::count(is_pending.begin(), is_pending.end(), true); };
  ASSERT_EQ(queue->size(), static_cast<std::size_t>(pending()));

  std::size_t wrong = 0;
  queue->expire(now, [&](Tick deadline, const ProbeTask& task) {
    if (!is_pending.at(task.id()) || deadline != deadline_of(task.id())) ++wrong;
    is_pending[task.id()] = false;
  });
  EXPECT_EQ(wrong, 0u) << "timers were not pending, or had another deadline";
  EXPECT_EQ(pending(), 0) << "timers did not run";
  EXPECT_EQ(queue->size(), 0u);
});

//
const Sentence in_turn("RunsEqualDeadlinesInOrderAfter65536Timers", [](const QueueKind& kind) {
  constexpr Id kTies = 12;
  constexpr Id kBefore = share_of((Id{1} << 16) - kTies);
  constexpr Tick kDeadline = 100;
  need_numbers_of_its_own(kind);
  need_fifo(kind);
  const auto queue = kind.make();
  std::size_t cancelled = 0;
  const auto set_and_cancel_another = [&] {
    cancelled += queue->cancel(queue->insert(2 * kDeadline, ProbeTask(kTies)));
  };
  for (Id i = 0; i < kBefore; ++i) set_and_cancel_another();
  Ids expected;
  for (Id id = 0; id < kTies; ++id) {
    queue->insert(kDeadline, ProbeTask(id));
    set_and_cancel_another();
    expected.push_back(id);
  }
  EXPECT_EQ(cancelled, kBefore + kTies);
  Ids ran;
  queue->expire(kDeadline + kind.promises.max_lateness(kDeadline),
                [&](Tick, const ProbeTask& task) { ran.push_back(task.id()); });
  EXPECT_EQ(ran, expected);
});

}  // namespace
}  // namespace timers::conformance::about_many_timers
