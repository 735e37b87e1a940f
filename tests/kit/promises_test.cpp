#include "tests/conformance/queues/promises.hpp"

#include <gtest/gtest.h>

namespace timers::conformance {
namespace {

TEST(Promises, AreAtLeastAsStrongAsThemselves) {
  EXPECT_TRUE(at_least_as_strong(Promises{}, Promises{}));
  const Promises weak{.expires_in_order = false,
                      .fifo = false,
                      .max_garbage = 2,
                      .max_lateness = [](Tick delay) { return delay / 8; },
                      .max_wakes = [](Tick) { return Tick{4}; },
                      .bears_bad_alloc = false,
                      .last_tick = 1000,
                      .growth = Growth::linear};
  EXPECT_TRUE(at_least_as_strong(weak, weak));
  EXPECT_TRUE(at_least_as_strong(Promises{}, weak));
}

TEST(Promises, AreWeakerWhereOneOfThemIs) {
  EXPECT_FALSE(at_least_as_strong({.expires_in_order = false}, {}));
  EXPECT_FALSE(at_least_as_strong({.fifo = false}, {}));
  EXPECT_FALSE(at_least_as_strong({.max_garbage = 1}, {}));
  EXPECT_FALSE(at_least_as_strong({.max_wakes = [](Tick) { return Tick{2}; }}, {}));
  EXPECT_FALSE(at_least_as_strong({.bears_bad_alloc = false}, {}));
  EXPECT_FALSE(at_least_as_strong({.last_tick = kEndOfTime - 1}, {}));
  EXPECT_FALSE(at_least_as_strong({.growth = Growth::linear}, {}));
  EXPECT_FALSE(at_least_as_strong({}, {.growth = Growth::constant}));
  EXPECT_TRUE(at_least_as_strong({.growth = Growth::constant}, {}));
}

TEST(Promises, AreWeakerWhereOneDelayIsWeaker) {
  const Promises late_once{.max_lateness = [](Tick delay) { return Tick{delay == 4097}; }};
  const Promises late_at_the_end{
      .max_lateness = [](Tick delay) { return Tick{delay == kEndOfTime}; }};
  EXPECT_FALSE(at_least_as_strong(late_once, {}));
  EXPECT_FALSE(at_least_as_strong(late_at_the_end, {}));
}

}  // namespace
}  // namespace timers::conformance
