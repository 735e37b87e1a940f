#pragma once

/// What tests expect of a program that the explorer runs.

#include <gtest/gtest.h>

#include "tests/conformance/sanitizers.hpp"
#include "tests/services/explorer/explorer.hpp"

namespace timers {

/// Expects that no execution of the program leads to a fault, and that there is more than one. The
/// explorer finds races without a sanitizer. Under a sanitizer only its first executions are run.
template <class Program>
void expect_no_fault() {
  const Explored all = explore<Program>(conformance::kSanitized ? 2'000 : kAllRuns);
  EXPECT_EQ(all.fault, "") << "in run " << all.runs;
  EXPECT_GT(all.runs, 1u);
}

template <class Program>
void expect_fault() {
  EXPECT_NE(explore<Program>().fault, "");
}

}  // namespace timers
