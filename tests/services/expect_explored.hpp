#pragma once

/// What tests expect of a program that the explorer runs.

#include <gtest/gtest.h>

#include "tests/conformance/sanitizers.hpp"
#include "tests/services/explorer.hpp"

namespace timers {

/// No way to run it leads to a fault, and there is more than one. The explorer finds races by
/// itself: a sanitizer looks at its first ways only.
template <class Program>
void expect_no_fault() {
  const Explored all = explore<Program>(conformance::kSanitized ? 10'000 : kAllRuns);
  EXPECT_EQ(all.fault, "") << "in run " << all.runs;
  EXPECT_GT(all.runs, 1u);
}

template <class Program>
void expect_fault() {
  EXPECT_NE(explore<Program>().fault, "");
}

}  // namespace timers
