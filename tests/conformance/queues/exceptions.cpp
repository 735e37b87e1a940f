/// A callback that throws. Its timer is consumed, nothing else is lost, and `expire` can be called
/// again.

#include <gtest/gtest.h>

#include "tests/conformance/queues/edges.hpp"
#include "tests/conformance/queues/scenario.hpp"
#include "tests/conformance/queues/sentence.hpp"

namespace timers::conformance::about_exceptions {
namespace {

struct Failure {};

void let_throw(Scenario& queue, Id id) {
  queue.on_expiry(id, [] { throw Failure{}; });
}

//
const Sentence others("LosesNoOtherTimerWhenACallbackThrows", [](const QueueKind& kind) {
  for (const Id thrower : Ids{1, 2, 3, 4}) {
    SCOPED_TRACE(thrower);
    Scenario queue(kind);
    for (const Id id : Ids{1, 2, 3, 4}) queue.insert(id, 5);
    let_throw(queue, thrower);
    EXPECT_THROW(queue.expire(5), Failure);
    const auto left = 4 - queue.log().size();
    EXPECT_EQ(queue.expire(5), left);
    EXPECT_TRUE(queue.ran({{1, 5, 5}, {2, 5, 5}, {3, 5, 5}, {4, 5, 5}}));
  }
});

//
const Sentence consumed("ConsumesATimerThatThrows", [](Scenario& queue) {
  queue.insert(1, 5);
  queue.insert(2, 50);
  let_throw(queue, 1);
  EXPECT_THROW(queue.expire(5), Failure);
  EXPECT_EQ(queue.size(), 1u);
  EXPECT_EQ(queue.destroyed(1), 1);
  EXPECT_FALSE(queue.cancel(1));
  EXPECT_EQ(queue.expire(5), 0u);
  EXPECT_EQ(queue.expire(50), 1u);
  EXPECT_TRUE(queue.ran({{1, 5, 5}, {2, 50, 50}}));
});

//
const Sentence every_one("GoesOnAfterEachOfManyThrows", [](const QueueKind& kind) {
  const auto edges = wheel_edges(1 << 17);
  Scenario queue(kind);
  std::vector<Expiry> expected;
  for (const Tick deadline : edges) {
    for (const Id id : Ids{2 * deadline, 2 * deadline + 1}) {
      queue.insert(id, deadline);
      let_throw(queue, id);
      expected.push_back({id, deadline, 1 << 18});
    }
  }
  for (std::size_t i = expected.size(); i > 0; --i) {
    ASSERT_EQ(queue.size(), i);
    ASSERT_THROW(queue.expire(1 << 18), Failure);
  }
  EXPECT_EQ(queue.expire(1 << 18), 0u);
  EXPECT_TRUE(queue.ran(expected));
});

//
const Sentence later("RunsWhatAThrowLeftAtALaterTime", [](Scenario& queue) {
  queue.needs_order();
  queue.insert(1, 3);
  queue.insert(2, 4);
  queue.insert(3, 300);
  queue.insert(4, 400);
  let_throw(queue, 1);
  EXPECT_THROW(queue.expire(350), Failure);
  EXPECT_EQ(queue.expire(400), 3u);
  EXPECT_TRUE(queue.ran({{1, 3, 350}, {2, 4, 400}, {3, 300, 400}, {4, 400, 400}}));
});

//
const Sentence earlier("RunsNothingOfAnInterruptedCallAtAnEarlierTime", [](Scenario& queue) {
  queue.needs_order();
  queue.insert(1, 3);
  queue.insert(2, 4);
  let_throw(queue, 1);
  EXPECT_THROW(queue.expire(10), Failure);
  EXPECT_EQ(queue.expire(9), 0u);
  EXPECT_EQ(queue.expire(10), 1u);
  EXPECT_TRUE(queue.ran({{1, 3, 10}, {2, 4, 10}}));
});

//
const Sentence not_set_since("RunsNothingThatWasSetAfterTheThrow", [](Scenario& queue) {
  queue.needs_order();
  queue.insert(1, 3);
  queue.insert(2, 4);
  let_throw(queue, 1);
  EXPECT_THROW(queue.expire(10), Failure);
  queue.insert(3, 4);
  queue.insert(4, 10);
  EXPECT_EQ(queue.expire(10), 1u);
  EXPECT_EQ(queue.expire(11), 2u);
  EXPECT_TRUE(queue.ran({{1, 3, 10}, {2, 4, 10}, {3, 11, 11}, {4, 11, 11}}));
});

//
const Sentence deeds_stand("KeepsWhatACallbackDidBeforeItThrew", [](Scenario& queue) {
  queue.insert(1, 5);
  queue.insert(2, 6);
  queue.insert(3, 600);
  queue.on_expiry(1, [&] {
    queue.cancel(2);
    queue.cancel(3);
    queue.insert(4, 10);
    throw Failure{};
  });
  EXPECT_THROW(queue.expire(5), Failure);
  EXPECT_EQ(queue.size(), 1u);
  EXPECT_EQ(queue.expire(1000), 1u);
  EXPECT_TRUE(queue.ran({{1, 5, 5}, {4, 10, 1000}}));
});

//
const Sentence changed_between("LetsWhatAThrowLeftBeCancelledAndRearmed", [](Scenario& queue) {
  queue.needs_order();
  queue.needs_rearm();
  queue.insert(1, 3);
  for (const Id id : Ids{2, 3, 4}) queue.insert(id, 64);
  queue.insert(5, 300);
  let_throw(queue, 1);
  EXPECT_THROW(queue.expire(400), Failure);
  EXPECT_TRUE(queue.cancel(3));
  EXPECT_TRUE(queue.rearm(2, 500));
  EXPECT_TRUE(queue.rearm(5, 7));
  EXPECT_EQ(queue.expire(400), 1u);
  EXPECT_EQ(queue.expire(401), 1u);
  EXPECT_EQ(queue.expire(500), 1u);
  EXPECT_TRUE(queue.ran({{1, 3, 400}, {4, 64, 400}, {5, 401, 401}, {2, 500, 500}}));
});

//
const Sentence with_limit("CountsALimitAnewAfterAThrow", [](Scenario& queue) {
  queue.needs_limit();
  queue.needs_order();
  for (const Id id : Ids{1, 2, 3, 4, 5}) queue.insert(id, id);
  let_throw(queue, 2);
  EXPECT_THROW(queue.expire(10, 4), Failure);
  EXPECT_EQ(queue.expire(10, 2), 2u);
  EXPECT_EQ(queue.expire(10, 2), 1u);
  EXPECT_TRUE(queue.ran({{1, 1, 10}, {2, 2, 10}, {3, 3, 10}, {4, 4, 10}, {5, 5, 10}}));
});

}  // namespace
}  // namespace timers::conformance::about_exceptions
