#include "tests/conformance/skips.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <sstream>
#include <string>

namespace timers::conformance {
namespace {

/// Counts the results that it would print.
class Printer final : public testing::EmptyTestEventListener {
 public:
  explicit Printer(int& printed) : printed_(printed) {}
  void OnTestPartResult(const testing::TestPartResult&) override { ++printed_; }

 private:
  int& printed_;
};

testing::TestPartResult result(testing::TestPartResult::Type type) {
  return {type, "file.cpp", 1, "message"};
}

TEST(SkipReporter, ReportsTheSkippedSentencesOfASuiteInOneLine) {
  int printed = 0;
  std::ostringstream out;
  SkipReporter reporter(std::make_unique<Printer>(printed), out);
  testing::TestEventListener& listener = reporter;
  for (const char* reason : {"it is late", "it cannot re-arm", "it is late"}) {
    reporter.note(reason);
    listener.OnTestPartResult(result(testing::TestPartResult::kSkip));
  }
  EXPECT_EQ(printed, 0);
  const testing::TestSuite& suite = *testing::UnitTest::GetInstance()->current_test_suite();
  listener.OnTestSuiteEnd(suite);
  const std::string line = "[  SKIPPED ] SkipReporter: 3 of " +
                           std::to_string(suite.test_to_run_count()) +
                           " sentences: it cannot re-arm (1), it is late (2)\n";
  EXPECT_EQ(out.str(), line);
  listener.OnTestSuiteEnd(suite);
  EXPECT_EQ(out.str(), line) << "it counts the sentences of one suite only";
}

TEST(SkipReporter, PrintsAllOtherResults) {
  int printed = 0;
  std::ostringstream out;
  SkipReporter reporter(std::make_unique<Printer>(printed), out);
  testing::TestEventListener& listener = reporter;
  listener.OnTestPartResult(result(testing::TestPartResult::kNonFatalFailure));
  listener.OnTestPartResult(result(testing::TestPartResult::kSkip));  // of no sentence
  EXPECT_EQ(printed, 2);
  listener.OnTestSuiteEnd(*testing::UnitTest::GetInstance()->current_test_suite());
  EXPECT_EQ(out.str(), "");
}

}  // namespace
}  // namespace timers::conformance
