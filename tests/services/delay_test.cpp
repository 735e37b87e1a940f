/// Delays in every unit of std::chrono.

#include <gtest/gtest.h>

#include <chrono>
#include <concepts>
#include <cstdint>
#include <limits>
#include <ratio>

#include "impls/clocks/instant.hpp"

namespace timers {
namespace {

using namespace std::chrono_literals;

static_assert(std::convertible_to<std::chrono::years, Delay>);
static_assert(std::convertible_to<Delay, Duration>);
static_assert(!std::convertible_to<std::chrono::duration<double>, Delay>);
static_assert(!std::convertible_to<std::chrono::duration<int, std::pico>, Delay>);

Duration in_nanoseconds(Delay delay) { return delay; }

TEST(Delay, IsTheSameInEveryUnit) {
  EXPECT_EQ(in_nanoseconds(7ns), 7ns);
  EXPECT_EQ(in_nanoseconds(7us), 7000ns);
  EXPECT_EQ(in_nanoseconds(std::chrono::days(-3)), -72h);
  EXPECT_EQ(in_nanoseconds(std::chrono::duration<std::uint8_t, std::milli>(200)), 200ms);
}

// B-S-03, D-01, D-51
TEST(Delay, SaturatesWhereNanosecondsEnd) {
  using std::chrono::days;
  const days longest = std::chrono::duration_cast<days>(Duration::max());
  EXPECT_EQ(longest.count(), 106'751);
  EXPECT_EQ(in_nanoseconds(longest), longest);
  EXPECT_EQ(in_nanoseconds(-longest), -longest);
  EXPECT_EQ(in_nanoseconds(longest + days(1)), Duration::max());
  EXPECT_EQ(in_nanoseconds(-longest - days(1)), Duration::min());
  EXPECT_EQ(in_nanoseconds(days::max()), Duration::max());
  EXPECT_EQ(in_nanoseconds(days::min()), Duration::min());
  EXPECT_EQ(in_nanoseconds(std::chrono::seconds::max()), Duration::max());
  EXPECT_EQ(in_nanoseconds(std::chrono::hours::min()), Duration::min());
  EXPECT_EQ(in_nanoseconds(Duration::max()), Duration::max());
  EXPECT_EQ(in_nanoseconds(Duration::min()), Duration::min());
  using Unsigned = std::chrono::duration<std::uint64_t, std::milli>;
  EXPECT_EQ(in_nanoseconds(Unsigned::max()), Duration::max());
}

TEST(Delay, CountsAsNoneIfItIsNegative) {
  const Instant now(1s);
  EXPECT_EQ(deadline_after(now, 2s), Instant(3s));
  EXPECT_EQ(deadline_after(now, -2s), now);
  EXPECT_EQ(deadline_after(now, std::chrono::hours::min()), now);
  EXPECT_EQ(deadline_after(now, std::chrono::years(1000)), Instant::max());
}

}  // namespace
}  // namespace timers
