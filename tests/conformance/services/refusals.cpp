/// What a service refuses. A refusal must change nothing.

#include <gtest/gtest.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>

#include "impls/clocks/clock.hpp"
#include "tests/conformance/random.hpp"
#include "tests/conformance/sanitizers.hpp"
#include "tests/conformance/services/delays.hpp"
#include "tests/conformance/services/scenario.hpp"
#include "tests/conformance/services/sentence.hpp"
#include "tests/conformance/threads_together.hpp"

namespace timers::service_conformance::about_refusals {
namespace {

const Sentence no_task("RefusesATaskThatIsNotThere", [](Scenario& service) {
  EXPECT_THROW(service.schedule_no_task(5ms), std::invalid_argument);
  EXPECT_EQ(service.pending(), 0u);
  service.schedule(1, 5ms);
  EXPECT_THROW(service.schedule_no_task(0ns), std::invalid_argument);
  EXPECT_THROW(service.schedule_no_task(1ms), std::invalid_argument);
  EXPECT_EQ(service.pending(), 1u);
  service.pass(5ms);
  EXPECT_TRUE(service.ran({1}));
});

// D-16, D-55, B-N-24
const Sentence stopped("RefusesTasksOnceItIsStopped", [](Scenario& service) {
  service.schedule(1, 5ms);
  EXPECT_EQ(service.stop(), (Ids{1}));
  EXPECT_THROW(service.schedule(2, 5ms), RejectedTask);
  EXPECT_THROW(service.schedule(3, 0ns), RejectedTask);
  EXPECT_EQ(service.destroyed(2), 1);
  EXPECT_EQ(service.pending(), 0u);
  service.jump(1h);
  EXPECT_TRUE(service.ran({}));
  EXPECT_EQ(service.stop(), Ids{});
});

// A-71, C-17
const Sentence in_a_refusal("DestroysATaskThatIsRefusedWithoutALock", [](const ServiceKind& kind) {
  ManualClock clock;
  const auto service = kind.make(clock);
  std::size_t pending = 99;
  std::shared_ptr<void> calls_in(
      nullptr, [&](void*) { std::thread([&] { pending = service->pending(); }).join(); });
  EXPECT_TRUE(service->stop().empty());
  EXPECT_THROW(service->schedule(1h, [held = std::move(calls_in)] {}), RejectedTask);
  EXPECT_EQ(pending, 0u);
});

void needs_limit(const ServiceKind& kind) {
  if (!kind.has_limit) throw Skip{"it has no option max_pending"};
}

/// A service in which at most `most` timers may be pending.
Scenario with_room_for(std::size_t most, const ServiceKind& kind) {
  needs_limit(kind);
  return Scenario(kind, Instant{}, {.max_pending = most});
}

// B-N-20, A-77, D-11
const Sentence full("RefusesTasksWhileItIsFull", [](const ServiceKind& kind) {
  Scenario service = with_room_for(2, kind);
  service.schedule(1, 1s);
  service.schedule(2, 1h);
  EXPECT_THROW(service.schedule(3, 1s), RejectedTask);
  EXPECT_THROW(service.schedule(4, 0ns), RejectedTask);
  EXPECT_EQ(service.pending(), 2u);
  service.pass(1s);
  EXPECT_TRUE(service.ran({1}));
  service.schedule(5, 1s);
  EXPECT_THROW(service.schedule(6, 1s), RejectedTask);
  service.pass(1h);
  EXPECT_TRUE(service.ran({1, 2, 5}));
});

const Sentence full_in_words("SaysHowManyArePendingWhenItIsFull", [](const ServiceKind& kind) {
  constexpr Id kRoom = 17;
  Scenario service = with_room_for(kRoom, kind);
  for (Id id = 0; id < kRoom; ++id) service.schedule(id, 1h);
  try {
    service.schedule(kRoom, 1h);
    ADD_FAILURE() << "it took one more";
  } catch (const RejectedTask& rejected) {
    const std::string words = rejected.what();
    EXPECT_NE(words.find("17"), std::string::npos) << words;
  }
  EXPECT_EQ(service.stop().size(), static_cast<std::size_t>(kRoom));
});

// B-N-22, D-12
const Sentence full_in_a_task("HasRoomForATaskInTheOneThatLeaves", [](const ServiceKind& kind) {
  Scenario service = with_room_for(1, kind);
  service.schedule(1, 1s, [&] { service.schedule(2, 1s); });
  service.pass(1s);
  service.pass(1s);
  EXPECT_TRUE(service.ran({1, 2}));
});

// C-24: two threads come for the last place at the same time, again and again.
const Sentence full_in_a_race("GivesItsLastPlaceToOneOfTwoThreads", [](const ServiceKind& kind) {
  needs_limit(kind);
  constexpr int kRounds = conformance::share_of(500);
  ManualClock clock;
  const auto service = kind.make(clock, {.max_pending = 1});
  std::atomic<int> arrivals = 0;
  const auto meet = [&arrivals](int meeting) {
    ++arrivals;
    conformance::spin_until([&] { return arrivals >= 2 * meeting; });
  };
  std::atomic<int> taken = 0;
  const auto come_and_go = [&](std::uint64_t seed) {
    conformance::Random random(seed);
    for (int meetings = 0; meetings < 2 * kRounds;) {
      AnyService::Handle handle = service->null_handle();
      meet(++meetings);
      conformance::dawdle(random, 8);
      try {
        handle = service->schedule(1h, [] {});
        ++taken;
      } catch (const RejectedTask&) {  // The other thread has the place.
      }
      meet(++meetings);
      service->cancel(handle);
    }
  };
  conformance::together({[&] { come_and_go(1); }, [&] { come_and_go(2); }});
  EXPECT_EQ(taken, kRounds);
  EXPECT_EQ(service->pending(), 0u);
});

}  // namespace
}  // namespace timers::service_conformance::about_refusals
